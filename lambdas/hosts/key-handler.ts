/** Lambda handlers of the routes that take an API key. */
import { createSecrets } from '../adapters/access/create-secrets.ts';
import { createKeyGate } from '../adapters/ledger/create-ledger.ts';
import type { Surface } from '../contract/route.ts';
import type { Endpoint } from '../core/ports.ts';
import { buffered } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { createDataResources, type DataResources } from './resources.ts';

/** With the pepper that proves a key genuine, and the gate that counts its requests. */
export type KeyResources = DataResources &
  ReturnType<typeof createSecrets> &
  ReturnType<typeof createKeyGate>;

/** Throws an error that names a variable that is not set. */
export function keyHandler(surface: Surface, build: (resources: KeyResources) => Endpoint) {
  const resources = createDataResources();
  const endpoint = build({ ...resources, ...createSecrets(resources), ...createKeyGate(resources) });
  return buffered(createRequestHandler(endpoint, surface, resources));
}
