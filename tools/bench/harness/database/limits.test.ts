import {
  GetItemCommand,
  PutItemCommand,
  TransactGetItemsCommand,
  TransactionCanceledException,
  TransactionConflictException,
  TransactWriteItemsCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb';
import { describe, expect, it } from '@jest/globals';
import type { DynamoClients } from '../../../../lambdas/platform/aws/clients.ts';
import { fileDatabase } from '../../../../lambdas/platform/testing/file-database.ts';
import { engineClients } from '../../../test-kit/engine.ts';
import { until } from '../../../test-kit/waiting.ts';
import { type CapacityLimits, partitionOf } from './capacity.ts';
import { startLimitedFront } from './limited-front.ts';
import { RequestLimits } from './request-limits.ts';

interface LimitedClients extends DynamoClients {
  readonly limits: RequestLimits;
  /** Until a request that was sent has reached its items. */
  readonly arrival: () => Promise<unknown>;
}

const database = fileDatabase();
let made = 0;

/** Requests of one burst are in the front together. */
const DELAY_MS = [100, 120] as const;

/** Runs the work at the start of a second, against a database with the limits. */
async function run<T>(limits: CapacityLimits, work: (limited: LimitedClients) => Promise<T>): Promise<T> {
  const front = await startLimitedFront(database.endpoint, limits, DELAY_MS);
  const clients = engineClients(front.endpoint);
  // Connections are open when the second begins.
  await clients.onceClient.send(
    new GetItemCommand({ TableName: 'circuits', Key: { route_id: { S: 'none' } } }),
  );
  const secondNow = () => Math.floor(Date.now() / 1000);
  const before = secondNow();
  await until(secondNow, (second) => second > before);
  try {
    const arrival = () => new Promise((resolve) => setTimeout(resolve, 30));
    return await work({ ...clients, limits: front.limits, arrival });
  } finally {
    clients.client.destroy();
    clients.onceClient.destroy();
    await front.stop();
  }
}

const scaled = (units: { item?: number; partition?: number }, partitions = 64): CapacityLimits => ({
  item: { read: 60, write: units.item ?? 1_000 },
  partition: { read: 60, write: units.partition ?? 1_000 },
  partitions,
});

const key = (id: string) => ({ TableName: 'wallets', Key: { wallet_id: { S: id } } });

const add = (id: string, condition?: string) =>
  new UpdateItemCommand({
    ...key(id),
    UpdateExpression: 'ADD entries :one',
    ExpressionAttributeValues: { ':one': { N: '1' } },
    ...(condition === undefined ? {} : { ConditionExpression: condition }),
  });

const transaction = (...ids: readonly string[]) =>
  new TransactWriteItemsCommand({ TransactItems: ids.map((id) => ({ Update: add(id).input as never })) });

const fresh = (): string => {
  made += 1;
  return `acc_limits_${made}`;
};

/** Returns the result of each promise: the name of its error, or `done`. */
const outcomes = async (works: readonly Promise<unknown>[]): Promise<string[]> =>
  (await Promise.allSettled(works)).map((each) =>
    each.status === 'fulfilled' ? 'done' : (each.reason as Error).name,
  );

const repeated = <T>(count: number, make: () => T): T[] => Array.from({ length: count }, make);

const countOf = (all: readonly string[], wanted: string): number =>
  all.filter((each) => each === wanted).length;

/** Far more writes than a second's units. */
const MANY = 200;

const one = fresh();

describe('a database with the limits of DynamoDB', () => {
  it.each([
    ['throttles writes of one item beyond its units a second', scaled({ item: 20 }), () => add(one), 'done'],
    [
      'throttles writes of one partition, whichever its items',
      scaled({ partition: 20 }, 1),
      () => add(fresh()),
      'done',
    ],
    [
      'counts a write whose condition fails',
      scaled({ item: 20 }),
      () => add(one, 'attribute_exists(absent)'),
      'ConditionalCheckFailedException',
    ],
  ])('%s', async (_case, limits, write, outcome) => {
    const all = await run(limits, ({ onceClient }) =>
      outcomes(repeated(MANY, () => onceClient.send(write()))),
    );
    const [done, throttled] = [countOf(all, outcome), countOf(all, 'ThrottlingException')];
    expect(done + throttled).toBe(MANY);
    expect(throttled).toBeGreaterThan(0);
    // A slow machine gets the units of further seconds too.
    expect(done).toBeGreaterThanOrEqual(20);
  });

  it('throttles nothing that is spread over enough partitions', async () => {
    const ids = repeated(30, fresh).filter((id, at, others) => {
      const before = others.slice(0, at).map((other) => partitionOf(other, 1024));
      return !before.includes(partitionOf(id, 1024));
    });
    const all = await run(scaled({ partition: 1 }, 1024), ({ onceClient }) =>
      outcomes(ids.map((id) => onceClient.send(add(id)))),
    );
    expect(countOf(all, 'done')).toBe(ids.length);
  });

  it('counts a transactional write twice, and half a read that may be out of date', async () => {
    const [first, second] = [fresh(), fresh()];
    await run(scaled({ item: 20 }), async ({ onceClient, limits }) => {
      await onceClient.send(transaction(first, second));
      await onceClient.send(new GetItemCommand(key(first)));
      await onceClient.send(new GetItemCommand({ ...key(second), ConsistentRead: true }));
      expect(limits.capacity.hottest('item', 'wallets', 'write')).toBe(2);
      expect(limits.capacity.hottest('item', 'wallets', 'read')).toBe(1);
    });
  });

  it('counts the larger of an item before and after a write, by started kilobytes', async () => {
    const id = fresh();
    await run(scaled({}), async ({ onceClient, limits }) => {
      const put = (bytes: number) =>
        new PutItemCommand({
          TableName: 'wallets',
          Item: { wallet_id: { S: id }, filler: { S: 'x'.repeat(bytes) } },
        });
      await onceClient.send(put(3_500));
      await onceClient.send(put(1));
      expect(limits.capacity.hottest('item', 'wallets', 'write')).toBe(8);
    });
  });

  it('sends again, as the SDK does, what was throttled', async () => {
    const id = fresh();
    await run(scaled({ item: 20 }), async ({ client, limits }) => {
      const all = await outcomes(repeated(25, () => client.send(add(id))));
      expect(countOf(all, 'done')).toBeGreaterThan(20);
      expect(limits.counts.throttled).toBeGreaterThan(0);
    });
  });

  it('refuses a write that meets a transaction on its item, and carries out the transaction', async () => {
    const [first, second] = [fresh(), fresh()];
    await run(scaled({}), async ({ onceClient, arrival }) => {
      const running = onceClient.send(transaction(first, second));
      await arrival();
      const write = await onceClient.send(add(second)).catch((failure: unknown) => failure);
      expect(write).toBeInstanceOf(TransactionConflictException);
      await running;
      await onceClient.send(add(second));
    });
  });

  it('cancels a transaction that meets another one or a write in flight, and names the item', async () => {
    const [first, second] = [fresh(), fresh()];
    await run(scaled({}), async ({ onceClient, arrival }) => {
      for (const send of [() => onceClient.send(transaction(second)), () => onceClient.send(add(second))]) {
        const running = send();
        await arrival();
        const failure = await onceClient.send(transaction(first, second)).catch((caught: unknown) => caught);
        expect(failure).toBeInstanceOf(TransactionCanceledException);
        const codes = (failure as TransactionCanceledException).CancellationReasons?.map(({ Code }) => Code);
        expect(codes).toEqual(['None', 'TransactionConflict']);
        await running;
      }
    });
  });

  it('cancels a reading transaction that a write meets, and lets the write pass', async () => {
    const id = fresh();
    await run(scaled({}), async ({ onceClient, arrival }) => {
      const reading = onceClient
        .send(new TransactGetItemsCommand({ TransactItems: [{ Get: key(id) }] }))
        .catch((failure: unknown) => failure);
      await arrival();
      await onceClient.send(add(id));
      expect(await reading).toBeInstanceOf(TransactionCanceledException);
    });
  });
});

describe('the limits of requests', () => {
  it('name a throttle as tables on demand do', () => {
    const input = { ...key('acc_1'), UpdateExpression: 'ADD entries :one' };
    const limits = new RequestLimits(scaled({ item: 0 }));
    const rejected = limits.arrive('UpdateItem', input);
    const canceled = limits.arrive('TransactWriteItems', { TransactItems: [{ Update: input }] });
    expect([rejected, canceled]).toMatchObject([
      {
        type: 'ThrottlingException',
        members: { throttlingReasons: [{ reason: 'TableWriteKeyRangeThroughputExceeded' }] },
      },
      {
        type: 'TransactionCanceledException',
        members: { CancellationReasons: [{ Code: 'ThrottlingError' }] },
      },
    ]);
  });
});
