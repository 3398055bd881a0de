/** What the paid endpoints of a process are built from, and what ends their calls. */
import { createSecrets } from '../adapters/access/create-secrets.ts';
import { createPaidCalls } from '../adapters/inference/create-paid-calls.ts';
import { catalogSource } from './catalog.ts';
import { oncePerEnvironment } from './once.ts';
import { createDataResources } from './resources.ts';

/** Ends the calls that are open when a shared host stops. */
export const endOfCalls = new AbortController();

/** Throws an error that names the variable when the environment lacks one. */
export const paidCalls = oncePerEnvironment((environment) => {
  const { clients, log } = createDataResources();
  return createPaidCalls({
    ...{ environment, log, clients },
    access: createSecrets({ environment, log }),
    catalog: catalogSource(),
    hostEnds: endOfCalls.signal,
  });
});
