/** A front before a real DynamoDB that holds requests to DynamoDB's limits, in real time. */
import { setTimeout as sleep } from 'node:timers/promises';
import { TABLES } from '../../../../lambdas/platform/contract/tables.ts';
import type { Item } from '../../../../lambdas/platform/dynamodb/attribute-values.ts';
import type { CapacityLimits } from './capacity.ts';
import { type DatabaseRequest, type DatabaseResponse, type Front, startFront } from './front.ts';
import { type DynamoError, isPassage, RequestLimits } from './request-limits.ts';
import { writeUnits } from './units.ts';

export interface LimitedFront extends Front {
  readonly limits: RequestLimits;
}

export interface LimitedFrontOptions {
  readonly limits: CapacityLimits;
  /** Added to each request, between its arrival and the database; it is drawn evenly. */
  readonly delayMs?: readonly [least: number, most: number];
}

/** Starts the front before the DynamoDB at `endpoint`, whose tables have the names of the contract. */
export async function startLimitedFront(
  endpoint: string,
  { limits: capacity, delayMs: [minDelayMs, maxDelayMs] = [0, 0] }: LimitedFrontOptions,
): Promise<LimitedFront> {
  const limits = new RequestLimits({ limits: capacity, schemas: TABLES, clock: Date.now });
  const front = await startFront(endpoint, async (request, forward) => {
    const passage = limits.arrive(request.operation, request.body);
    if (maxDelayMs > 0) await sleep(minDelayMs + Math.random() * (maxDelayMs - minDelayMs));
    if (!isPassage(passage)) return toError(passage);
    const measured = passage.touched.length === 1 && !passage.touched[0]?.transaction;
    const response = await forward(
      measured ? { ...request.body, ReturnConsumedCapacity: 'TOTAL' } : request.body,
    ).catch((failure: unknown) => {
      passage.done();
      throw failure;
    });
    const rejection = passage.done(measured ? [unitsOf(request, response)] : []);
    return rejection === undefined ? response : toError(rejection);
  });
  return { ...front, limits };
}

const toError = ({ type, message, members }: DynamoError) => ({
  status: 400,
  type,
  members: { ...members, message },
});

/**
 * Returns the units of the request as the database reports them. If a condition failed, the item that failed it
 * determines the units, if it is returned.
 */
function unitsOf({ operation }: DatabaseRequest, { body }: DatabaseResponse): number | undefined {
  const { ConsumedCapacity: consumed, Item: item } = body as {
    readonly ConsumedCapacity?: { readonly CapacityUnits?: number };
    readonly Item?: Item;
  };
  if (consumed?.CapacityUnits !== undefined) return consumed.CapacityUnits;
  return item !== undefined && operation !== 'GetItem' ? writeUnits(item, undefined) : undefined;
}
