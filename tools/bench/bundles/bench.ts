/** The size and the duration of each function's cold start: the bundle that it loads, and the time that this takes. */
import { execFile } from 'node:child_process';
import { statSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { bundleFunctions } from '../../../lib/bundle.ts';
import { type FunctionName, GRANTS } from '../../../lib/config/grants.ts';
import type { BenchMetric } from '../harness/report.ts';
import { median } from '../harness/statistics.ts';
import { functionVariables } from './environment.ts';

const run = promisify(execFile);

/** The design's budget of a cold start. */
const INIT_MS = 250;

const DESCRIPTION: FunctionName = 'get-openapi';

/**
 * Returns the maximum size of the code that a cold start reads. A function that calls models has the design's megabyte.
 * An AWS client alone is about 450 KB, and Stripe's library adds 230 KB. The API's description is generated from every
 * schema, 200 KB in addition to the client. A function without outgoing calls needs no client.
 */
function bundleBudgetKb(name: FunctionName): number {
  const { tables = {}, keyPepper = false, providerSecrets = false, payments, payoutProvider } = GRANTS[name];
  if (providerSecrets) return 1_000;
  if (payments || payoutProvider) return 800;
  if (name === DESCRIPTION) return 900;
  return Object.keys(tables).length > 0 || keyPepper ? 700 : 100;
}

const CHAT: FunctionName = 'create-chat-completion';

/** Fresh processes a function. */
const STARTS = 7;

export async function measureBundles(): Promise<readonly BenchMetric[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-bundles-'));
  try {
    await bundleFunctions(folder);
    const metrics: BenchMetric[] = [];
    for (const name of Object.keys(GRANTS) as FunctionName[]) {
      metrics.push(...(await measureFunction(name, join(folder, name, 'index.mjs'))));
    }
    return metrics;
  } finally {
    await rm(folder, { recursive: true });
  }
}

async function measureFunction(name: FunctionName, bundle: string): Promise<readonly BenchMetric[]> {
  const initMs: number[] = [];
  for (let start = 0; start < STARTS; start += 1) initMs.push(await initOf(name, bundle));
  return [
    {
      name: `${name}: bundle`,
      value: statSync(bundle).size / 1000,
      unit: 'KB',
      most: bundleBudgetKb(name),
    },
    {
      name: `${name}: init`,
      value: median(initMs),
      unit: 'ms',
      most: INIT_MS,
      ...(name === CHAT ? { note: 'on a whole core; 1,769 MB of memory buy one in Lambda' } : {}),
    },
  ];
}

async function initOf(name: FunctionName, bundle: string): Promise<number> {
  const program = join(import.meta.dirname, 'import-bundle.ts');
  const { stdout } = await run(process.execPath, [program, bundle], { env: functionVariables(name) });
  return Number(stdout);
}
