/** Every function that the app deploys, by name, and bundles that stand for them. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type EndpointName, ROUTES, UNKNOWN_ROUTE_ENDPOINT } from '../../lambdas/app/routes.ts';
import { CONSUMERS, type ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import type { FunctionName } from '../../lib/config/grants.ts';

/** Each once: rows of the route table may share a function. */
export const ENDPOINTS: readonly EndpointName[] = [
  ...new Set<EndpointName>([...ROUTES.map(({ endpoint }) => endpoint), UNKNOWN_ROUTE_ENDPOINT]),
];
const ALL_CONSUMERS = Object.keys(CONSUMERS) as readonly ConsumerName[];
/** Those of every deployment: others need a setting. */
export const CONSUMER_NAMES = ALL_CONSUMERS.filter((name) => !('setting' in CONSUMERS[name]));
export const FUNCTIONS: readonly FunctionName[] = [...ENDPOINTS, ...ALL_CONSUMERS];

/** Writes a bundle for each function, different from every other, with a source map that must not be deployed. */
export function writePlaceholderBundles(folder: string): void {
  for (const name of FUNCTIONS) {
    mkdirSync(join(folder, name));
    writeFileSync(join(folder, name, 'index.mjs'), name);
    writeFileSync(join(folder, name, 'index.mjs.map'), '{}');
  }
  mkdirSync(join(folder, 'inference-host'));
  for (const program of ['create-transcription', 'inference-host']) {
    for (const file of ['host.mjs', 'Dockerfile']) writeFileSync(join(folder, program, file), file);
  }
}
