import { beforeAll, beforeEach, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { DynamoCircuitStore } from '../../inference/store/circuit-store.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { DynamoUnbilledStore } from '../store/usage/unbilled-store.ts';
import { keyState } from '../testing/attempts.ts';
import {
  auditAll,
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
  type TestLedger,
} from '../testing/running-ledger.ts';
import type { UsageRecord } from './usage-record.ts';

const POLICY = { daily_usd: 100_000n, monthly_usd: 1_000_000n, tpm: 10_000, rpm: 1000 };

const database = fileDatabase();
let ledger: TestLedger;
let nowMs = NOON_MS;

/** All that happens here has happened by then. */
const LATER_MS = NOON_MS + 40 * 86_400_000;

beforeAll(async () => {
  ledger = openLedger({ clients: database, clock: () => nowMs });
});
beforeEach(() => {
  nowMs = NOON_MS;
});

describe('settlement', () => {
  it('refunds the unused amount of the hold and records the cost, to the nano-dollar', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const [key] = account.keys;
    const admission = await ledger.ledger.admit(callOf(key, 700n));
    const during = await ledgerOf(database.client, account);
    expect(during.wallet).toMatchObject({ balance: 300n, holds: [{ amount: 700n, keyId: key.keyId }] });
    expect(during.audit.exact).toBe(true);
    const settlement = await admission.settle(outcomeOf(123n));
    expect(settlement).toMatchObject({ balance: 877n, record: { cost: 123n } });
    const after = await ledgerOf(database.client, account);
    expect(after.wallet).toMatchObject({ accountId: account.accountId, balance: 877n, debt: 0n, holds: [] });
    expect(after.records).toEqual([settlement.record]);
    expect(after.audit).toMatchObject({ exact: true, usage: 123n, held: 0n });
  });

  it('charges each window of the key with exactly the cost of the call', async () => {
    const account = await openAccount(database.client, 1_000_000n, POLICY);
    const [key] = account.keys;
    const cost = fc.bigInt({ min: 0n, max: 2_000n });
    const orNothing = <T>(some: fc.Arbitrary<T>, nothing: T) =>
      fc.oneof({ weight: 3, arbitrary: some }, fc.constant(nothing));
    const used = orNothing(fc.nat(300), 0);
    const call = fc.record({ amount: cost, cost: orNothing(cost, 0n), tokens: fc.nat(200), used });
    const spending = { cost: 0n, tokens: 0n, requests: 0 };
    await fc.assert(
      fc.asyncProperty(call, async ({ amount, cost: real, tokens, used }) => {
        const admission = await ledger.ledger.admit(callOf(key, amount, { tokens }));
        await admission.settle(outcomeOf(real, { tokens: used }));
        spending.cost += real < amount ? real : amount;
        spending.tokens += BigInt(used);
        spending.requests += 1;
        expect(await keyState(ledger, key.keyId)).toMatchObject({
          requestsLeft: POLICY.rpm - spending.requests,
          tokensLeft: BigInt(POLICY.tpm) - spending.tokens,
          dayLeft: POLICY.daily_usd - spending.cost,
          monthLeft: POLICY.monthly_usd - spending.cost,
        });
      }),
      { numRuns: 30 },
    );
    expect((await ledgerOf(database.client, account)).audit).toMatchObject({
      exact: true,
      usage: spending.cost,
    });
  });

  it('charges at most the hold, waives the rest of the bill, and counts both losses of the operator as one', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const [key] = account.keys;
    const admission = await ledger.ledger.admit(callOf(key, 500n));
    const { record, balance } = await admission.settle(outcomeOf(800n));
    expect(balance).toBe(500n);
    expect(record).toMatchObject({ cost: 500n, waived: 300n, unbilled: { amount: 300n, factor: 1 } });
    const totals = await ledgerOf(database.client, account);
    expect(totals).toMatchObject({ wallet: { balance: 500n, holds: [] }, records: [record] });
    expect(totals.audit).toMatchObject({ exact: true, usage: 500n });
    expect((await keyState(ledger, key.keyId)).dayLeft).toBe(POLICY.daily_usd - 500n);
  });

  it('counts usage beyond the bound of its call by route, and stores it in the record', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const store = new DynamoUnbilledStore(database.client, database.tables.circuits, () => nowMs);
    const separateLedger = openLedger({ clients: database, clock: () => nowMs, unbilled: store });
    const route = `route-${account.accountId}`;
    for (const [amount, factor] of [
      [40n, 1.5],
      [2n, 3.25],
      [8n, 1.2],
    ] as const) {
      const admission = await separateLedger.ledger.admit(callOf(account.keys[0], 100n));
      const { record } = await admission.settle(outcomeOf(101n, { route, excess: { amount, factor } }));
      expect(record).toMatchObject({ cost: 100n, waived: 1n, unbilled: { amount: amount + 1n, factor } });
      expect(await separateLedger.usage.get(account.keys[0].keyId, record.id)).toEqual(record);
    }
    const ofRoute = (await store.list()).filter((each) => each.route === route);
    expect(ofRoute).toEqual([{ route, calls: 3, amount: 53n, factor: 3.25 }]);
    const circuits = new DynamoCircuitStore(database.client, database.tables.circuits, () => nowMs);
    expect([...(await circuits.list()).keys()].filter((key) => key.includes(route))).toEqual([]);
  });

  it('settles a call though its unbilled usage cannot be counted', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const store = { add: () => Promise.reject(new Error('no database')), list: async () => [] };
    const separateLedger = openLedger({ clients: database, clock: () => nowMs, unbilled: store });
    const admission = await separateLedger.ledger.admit(callOf(account.keys[0], 100n));
    const settled = await admission.settle(outcomeOf(60n, { excess: { amount: 1n, factor: 2 } }));
    expect(settled).toMatchObject({ balance: 940n, record: { cost: 60n } });
  });

  it('settles once for any number of requests, with the first outcome, and reports the call once', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const reported: string[] = [];
    const onSettled = ({ id }: UsageRecord) => reported.push(id);
    const process = openLedger({ clients: database, clock: () => nowMs, onSettled });
    const admission = await process.ledger.admit(callOf(account.keys[0], 700n));
    const results = await Promise.all([100n, 200n, 300n].map((cost) => admission.settle(outcomeOf(cost))));
    const late = await admission.settle(outcomeOf(400n));
    expect(late).toMatchObject({ balance: 900n, record: { cost: 100n } });
    expect(new Set(results)).toEqual(new Set([late]));
    expect(reported).toEqual([admission.held?.hold.id]);
  });

  it('changes nothing for a call that recovery has released, and returns the record that counts', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const admission = await ledger.ledger.admit(callOf(account.keys[0], 700n));
    nowMs = NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000;
    expect(await sweep(ledger, database.client)).toEqual({ settled: 0, released: 1 });
    const released = await ledgerOf(database.client, account);
    for (const cost of [100n, 5_000n]) {
      const late = await admission.settle(outcomeOf(cost));
      expect(late.record).toMatchObject({ status: 'expired', cost: 0n });
    }
    expect(await ledgerOf(database.client, account)).toEqual(released);
    expect(released).toMatchObject({ wallet: { balance: 1_000n, holds: [] }, audit: { exact: true } });
  });

  it('takes nothing from the balance for a cost above the hold once recovery has started to release it', async () => {
    const account = await openAccount(database.client, 1_000n, POLICY);
    const [key] = account.keys;
    const call = callOf(key, 300n);
    const admission = await ledger.ledger.admit(call);
    const expired = { ...outcomeOf(0n, { status: 'expired', model: null, route: null }), tokens: undefined };
    const { tokens: _tokens, amount: cost, ...counted } = expired;
    await ledger.usage.put({
      ...counted,
      cost,
      id: call.requestId,
      keyId: key.keyId,
      accountId: account.accountId,
      created: 0,
      kind: 'chat',
    });
    await admission.settle(outcomeOf(900n));
    nowMs = NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000;
    await sweep(ledger, database.client);
    nowMs = NOON_MS;
    const totals = await ledgerOf(database.client, account);
    expect(totals).toMatchObject({ wallet: { balance: 1_000n, holds: [] }, audit: { exact: true } });
  });

  it('refunds the month, and refunds nothing to a day or minute that has ended', async () => {
    const account = await openAccount(database.client, 10_000n, POLICY);
    const [key] = account.keys;
    const midnightMs = Date.UTC(2026, 6, 16);
    nowMs = midnightMs - 1000;
    const admission = await ledger.ledger.admit(callOf(key, 700n));
    nowMs = midnightMs + 1000;
    const other = await ledger.ledger.admit(callOf(key, 50n));
    await admission.settle(outcomeOf(100n));
    expect(await keyState(ledger, key.keyId)).toMatchObject({
      tokensLeft: BigInt(POLICY.tpm) - 10n,
      dayLeft: POLICY.daily_usd - 50n,
      monthLeft: POLICY.monthly_usd - 150n,
    });
    await other.settle(outcomeOf(50n));
  });

  it('leaves the ledger of the whole database exact after all tests above', async () => {
    expect(await auditAll(database.client, () => LATER_MS)).toMatchObject({
      exact: true,
      drift: 0n,
      held: 0n,
    });
  });
});

describe('a cap that is used up', () => {
  it('never blocks its key from reading usage and credit, which cost nothing', async () => {
    const account = await openAccount(database.client, 10_000n, { daily_usd: 500n, monthly_usd: 500n });
    const [key] = account.keys;
    const admission = await ledger.ledger.admit(callOf(key, 500n));
    await admission.settle(outcomeOf(500n));
    expect(await keyState(ledger, key.keyId)).toMatchObject({ dayLeft: 0n, monthLeft: 0n });
    await expect(ledger.gate.touch(key)).resolves.toMatchObject({ state: { keyId: key.keyId } });
  });
});
