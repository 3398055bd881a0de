import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Policy } from '../../access/core/keys/policy.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { aroundSend } from '../testing/failing-process.ts';
import {
  callOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  type TestLedger,
} from '../testing/running-ledger.ts';
import { splitWallet } from '../testing/split-wallet.ts';

/** The design's budget: one keyed call costs at most this many write units, round trips before and after the upstream. */
const MAX_WRITE_UNITS = 5;
const ROUNDS_BEFORE = 1;
const MAX_ROUNDS_AFTER = 2;

interface ConsumedUnits {
  readonly CapacityUnits: number;
}

interface Cost {
  /** Calls that began while no other was in flight. */
  rounds: number;
  reads: number;
  writes: number;
  writeUnits: number;
}

const database = fileDatabase();
let ledger: TestLedger;
let cost: Cost;
let running = 0;

const nothing = (): Cost => ({ rounds: 0, reads: 0, writes: 0, writeUnits: 0 });

function metered(client: DynamoDBClient): DynamoDBClient {
  return aroundSend(client, async (command, send) => {
    const { input, constructor: kind } = command as {
      input: Record<string, unknown>;
      constructor: { name: string };
    };
    const reads = /Get|Query|Scan/.test(kind.name);
    input.ReturnConsumedCapacity = 'TOTAL';
    if (running === 0) cost.rounds += 1;
    running += 1;
    cost[reads ? 'reads' : 'writes'] += 1;
    try {
      const output = await send(command);
      const { ConsumedCapacity: consumed } = output as {
        ConsumedCapacity: ConsumedUnits | readonly ConsumedUnits[];
      };
      if (!reads) for (const { CapacityUnits: units } of [consumed].flat()) cost.writeUnits += units;
      return output;
    } finally {
      running -= 1;
    }
  });
}

beforeEach(() => {
  cost = nothing();
  const clients = { client: metered(database.client), onceClient: metered(database.onceClient) };
  ledger = openLedger({ clients, clock: () => NOON_MS });
});

/** Returns the result of `work` and its database cost. */
async function costOf<T>(work: () => Promise<T>): Promise<readonly [T, Cost]> {
  cost = nothing();
  const result = await work();
  return [result, cost];
}

describe('an uncontended call', () => {
  const limits = { tpm: 1000, rpm: 100 };
  it.each<readonly [string, bigint, Policy]>([
    ['that costs less than its hold', 300n, limits],
    ['that costs exactly its hold', 500n, limits],
    ['that costs nothing', 0n, limits],
    ['of a key with caps', 300n, { ...limits, daily_usd: 10_000n, monthly_usd: 100_000n }],
    ['of a key for some models', 300n, { allowed_models: ['sim/chat', 'sim/a'], allowed_kinds: ['chat'] }],
  ])(
    'takes one round of two writes before the upstream, at most two rounds after it and at most 5 write units: one %s',
    async (_case, charged, policy) => {
      const account = await openAccount(database.client, 10_000n, policy);
      await ledger.gate.touch(account.keys[0]);
      const [admission, before] = await costOf(() => ledger.ledger.admit(callOf(account.keys[0], 500n)));
      expect(before).toEqual({ rounds: ROUNDS_BEFORE, reads: 0, writes: 2, writeUnits: 2 });
      const [settlement, after] = await costOf(() => admission.settle(outcomeOf(charged)));
      expect(settlement.balance).toBe(10_000n - charged);
      expect(after.rounds).toBeLessThanOrEqual(MAX_ROUNDS_AFTER);
      expect(after.reads).toBe(0);
      expect(before.writeUnits + after.writeUnits).toBeLessThanOrEqual(MAX_WRITE_UNITS);
    },
  );

  it('stays within its rounds before and after the upstream on a wallet in several shards', async () => {
    const account = await openAccount(database.client, 10_000n, {});
    await splitWallet(database, account.accountId, [4_000n]);
    await ledger.gate.touch(account.keys[0]);
    // The first call moves money to the part it picks, the ones after it find some there.
    for (let warm = 0; warm < 40; warm += 1) {
      await (await ledger.ledger.admit(callOf(account.keys[0], 10n))).settle(outcomeOf(1n));
    }
    const [admission, before] = await costOf(() => ledger.ledger.admit(callOf(account.keys[0], 10n)));
    expect(before.rounds).toBe(ROUNDS_BEFORE);
    const [, after] = await costOf(() => admission.settle(outcomeOf(1n)));
    expect(after.rounds).toBeLessThanOrEqual(MAX_ROUNDS_AFTER);
  });

  it('takes one round of two writes as the first of its minute too', async () => {
    const account = await openAccount(database.client, 10_000n, {});
    const [, before] = await costOf(() => ledger.ledger.admit(callOf(account.keys[0], 500n)));
    expect(before).toEqual({ rounds: ROUNDS_BEFORE, reads: 0, writes: 2, writeUnits: 2 });
  });
});

describe('a rejected call', () => {
  it('writes nothing if it was rejected before in its minute', async () => {
    const account = await openAccount(database.client, 10_000n, { daily_usd: 0n });
    const attempt = () => ledger.ledger.admit(callOf(account.keys[0], 500n)).catch(() => undefined);
    await attempt();
    const [, again] = await costOf(attempt);
    expect(again).toEqual({ rounds: 1, reads: 2, writes: 0, writeUnits: 0 });
  });
});

describe('many calls at once on one wallet', () => {
  it('cost as many write units each as a single call, once the wallet has its shards', async () => {
    const account = await openAccount(database.client, 1_000_000n, { rpm: 10_000 });
    const [key] = account.keys;
    await splitWallet(database, account.accountId, Array<bigint>(63).fill(1_000n));
    await ledger.wallets.read(account.accountId);
    for (const open of [1, 16, 64]) {
      const calls = Array.from({ length: open }, () => ledger.ledger.admit(callOf(key, 1n)));
      const admissions = await Promise.all(calls);
      const [, { writeUnits }] = await costOf(async () => {
        for (const admission of admissions) {
          await admission.settle(outcomeOf(1n));
          await ledger.ledger.admit(callOf(key, 1n));
        }
      });
      // The sum of the shards is stored once, and a draw may meet a full one.
      expect(writeUnits).toBeLessThanOrEqual(open * MAX_WRITE_UNITS + 4);
    }
  });
});
