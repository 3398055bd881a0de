/** Batches, of which DynamoDB leaves a part undone when an answer would exceed 16 MB or a partition is throttled. */
import { setTimeout as sleep } from 'node:timers/promises';
import { overloaded } from '../../core/errors.ts';

/** With the pauses between them, a throttled partition has recovered. */
const MAX_TRIES = 8;
const PAUSE_MS = 25;

/** Sends requests until none is left; `send` returns those that were not processed. Throws 503 when some stay so. */
export async function sendBatches<T>(
  requests: readonly T[],
  send: (requests: T[]) => Promise<T[] | undefined>,
): Promise<void> {
  let rest = [...requests];
  for (let tries = 0; rest.length > 0; tries += 1) {
    if (tries === MAX_TRIES) throw overloaded();
    if (tries > 0) await sleep(PAUSE_MS * tries);
    rest = (await send(rest)) ?? [];
  }
}
