/** What the paid endpoints of a process are built from, and what ends their calls. */
import { createSecrets } from '../adapters/access/create-secrets.ts';
import { createPaidCalls, type PaidCalls } from '../adapters/inference/create-paid-calls.ts';
import { catalogSource } from './catalog.ts';
import { oncePerEnvironment } from './once.ts';
import { createDataResources } from './resources.ts';

/** Ends the calls that are open when a shared host stops. */
export const endOfCalls = new AbortController();

/** Throws an error that names the variable when the environment lacks one. */
export const paidCalls = oncePerEnvironment((environment) => {
  const { clients, log } = createDataResources();
  const calls = createPaidCalls({
    ...{ environment, log, clients },
    access: createSecrets({ environment, log }),
    catalog: catalogSource(),
    hostEnds: endOfCalls.signal,
  });
  readAhead(calls);
  return calls;
});

/**
 * Begins what the first call would wait for one after the other, side by side and while the function still loads, over the
 * connections that the call then finds open. What fails here is read again by the call.
 */
function readAhead({ peppers, catalog }: PaidCalls): void {
  for (const read of [peppers(), catalog()]) read.catch(() => {});
}
