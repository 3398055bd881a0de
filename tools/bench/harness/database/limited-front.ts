/** A front before a real DynamoDB that holds requests to DynamoDB's limits, in real time. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { CapacityLimits } from './capacity.ts';
import { type Front, startFront } from './front.ts';
import { isPassage, RequestLimits } from './request-limits.ts';

export interface LimitedFront extends Front {
  readonly limits: RequestLimits;
}

/**
 * Starts the front before the DynamoDB at `endpoint`, whose tables have the names of the contract. A delay, drawn
 * evenly, is added to each request between its arrival and the database.
 */
export async function startLimitedFront(
  endpoint: string,
  capacity: CapacityLimits,
  [minDelayMs, maxDelayMs]: readonly [min: number, max: number],
): Promise<LimitedFront> {
  const limits = new RequestLimits(capacity);
  const front = await startFront(endpoint, async ({ operation, body }, forward) => {
    const passage = limits.arrive(operation, body);
    await sleep(minDelayMs + Math.random() * (maxDelayMs - minDelayMs));
    if (!isPassage(passage)) return passage;
    // Of several items, the database does not report which cost how much; of a transaction, it counts half.
    const measured = passage.touched.length === 1 && !passage.touched[0]?.transaction;
    const request = measured ? { ...body, ReturnConsumedCapacity: 'TOTAL' } : body;
    const response = await forward(request).catch((failure: unknown) => {
      passage.done();
      throw failure;
    });
    const { ConsumedCapacity: consumed } = response.body as {
      readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
    };
    return passage.done(measured ? consumed?.CapacityUnits : undefined) ?? response;
  });
  return { ...front, limits };
}
