import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import { afterAll, beforeAll, describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { DynamoAccountStore } from '../../../../lambdas/adapters/access/account-store.ts';
import type { DynamoClients } from '../../../../lambdas/adapters/aws/clients.ts';
import { number } from '../../../../lambdas/adapters/dynamodb/attribute-values.ts';
import { MAX_HOLDS } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import { PartGroups } from '../../../../lambdas/adapters/ledger/wallet/part-groups.ts';
import { WalletReads } from '../../../../lambdas/adapters/ledger/wallet/reads.ts';
import { createWalletStore } from '../../../../lambdas/adapters/ledger/wallet/store.ts';
import type { Hold, WalletStore } from '../../../../lambdas/core/ledger/ports.ts';
import { aroundSend } from '../../../core/ledger/failing-process.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';
import { startDatabase, type TestDatabase } from '../../engine.ts';
import { splitWallet } from '../../split-wallet.ts';
import { brokenPart } from '../../stored-parts.ts';
import { type TroublePlan, troubledClients, troubles } from '../troubled-writes.ts';

/** A UTC day and the next one, in seconds. */
const DAYS = [1_800_000_000, 1_800_086_400] as const;

/** One call: what it holds and what it comes to. Waves run one after the other, their calls at once. */
interface CallPlan {
  readonly amount: bigint;
  /** In percent of the hold. */
  readonly cost: number;
  readonly day: 0 | 1;
  /** In which wave it ends, counted from its own; in the same it does so at once. */
  readonly endsAfter: number;
}

const call: fc.Arbitrary<CallPlan> = fc.record({
  amount: fc.integer({ min: 0, max: 300 }).map(BigInt),
  cost: fc.constantFrom(0, 40, 100),
  day: fc.constantFrom<0 | 1>(0, 1),
  endsAfter: fc.constantFrom(0, 1, 2),
});
const waves = fc.array(fc.array(call, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 4 });

interface Made {
  readonly plan: CallPlan;
  readonly id: string;
  /** As the wallet has it; undefined when the hold was refused or failed. */
  hold?: Hold | undefined;
  failed: boolean;
}

let database: TestDatabase;
let made = 0;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

async function openWallet(balance: bigint, parts: number): Promise<string> {
  made += 1;
  const accountId = `acc_${made}`;
  const store = new DynamoAccountStore(database.client, database.tables);
  await store.open({ id: accountId, created: 0 });
  await store.topUp({ accountId, id: 'first', amount: balance, created: 0, source: 'test' });
  if (parts > 1)
    await splitWallet(
      database,
      accountId,
      Array.from({ length: parts - 1 }, () => balance / BigInt(parts)),
    );
  return accountId;
}

const costOf = ({ amount, cost }: CallPlan) => (amount * BigInt(cost)) / 100n;

function endOf({ plan, id, hold }: Made) {
  const recorded = DAYS[plan.day];
  // A hold whose answer was lost is ended wherever it may be, at no cost, as admission ends it.
  return hold === undefined
    ? { id, amount: plan.amount, cost: 0n, recorded }
    : { ...hold, cost: costOf(plan), recorded };
}

async function hold(wallets: WalletStore, accountId: string, entry: Made): Promise<void> {
  const { amount } = entry.plan;
  const wanted: Hold = {
    ...{ id: entry.id, keyId: 'key_1', kind: 'chat', amount },
    ...{ created: DAYS[0], expires: DAYS[0] + 60 },
  };
  try {
    const { granted, wallet } = await wallets.hold(accountId, wanted);
    const held = wallet?.holds.find(({ id }) => id === entry.id);
    if (granted) Object.assign(entry, { hold: held ?? wanted });
  } catch {
    entry.failed = true;
  }
}

/** Plays the waves on a store; an end that fails is made again by a process without trouble, as recovery makes it. */
async function play(clients: DynamoClients, accountId: string, plan: readonly (readonly CallPlan[])[]) {
  const wallets = createWalletStore(clients, database.tables.wallets);
  const healthy = createWalletStore(database, database.tables.wallets);
  const entries: Made[] = [];
  const end = async (entry: Made) => {
    if (entry.hold === undefined && !entry.failed) return;
    await wallets.endHold(accountId, endOf(entry)).catch(() => {});
    const left = ((await healthy.read(accountId))?.holds ?? []).filter(({ id }) => id === entry.id);
    for (const { walletId, attempt } of left) {
      // A copy that no record names is released at no cost.
      const isOwn = attempt === entry.hold?.attempt;
      await healthy.endHold(accountId, {
        ...endOf(isOwn ? entry : { ...entry, hold: undefined }),
        walletId,
      });
    }
  };
  const make = async (each: CallPlan) => {
    const entry: Made = { plan: each, id: `req_${made}_${entries.length}`, failed: false };
    entries.push(entry);
    await hold(wallets, accountId, entry);
    if (each.endsAfter === 0) await end(entry);
  };
  const due: (readonly Made[])[] = [];
  const broken: string[] = [];
  for (let at = 0; at < Math.max(plan.length, due.length); at += 1) {
    const before = entries.length;
    await Promise.all([...(due[at] ?? []).map(end), ...(plan[at] ?? []).map(make)]);
    for (const entry of entries.slice(before).filter(({ plan: { endsAfter } }) => endsAfter > 0))
      due[at + entry.plan.endsAfter] = [...(due[at + entry.plan.endsAfter] ?? []), entry];
    broken.push(...(await partsOf(accountId)).flatMap(brokenPart));
  }
  return { entries, broken };
}

const partsOf = (accountId: string) =>
  new WalletReads(database.client, database.tables.wallets).readAll(accountId);

const sum = (values: readonly bigint[]) => values.reduce((total, value) => total + value, 0n);

/** What a wallet is to have once all calls have ended, by those that were granted. */
function expectedOf(balance: bigint, entries: readonly Made[]) {
  const granted = entries.filter((entry) => entry.hold !== undefined).map(({ plan }) => plan);
  const costOn = (day: 0 | 1) => sum(granted.filter((plan) => plan.day === day).map(costOf));
  return {
    balance: balance - costOn(0) - costOn(1),
    spent: costOn(0) + costOn(1),
    days: [costOn(0), costOn(1)],
    holds: 0,
  };
}

async function foundOf(accountId: string): Promise<ReturnType<typeof expectedOf>> {
  const parts = await partsOf(accountId);
  const on = (seconds: number) =>
    sum(parts.map(({ spentByDay }) => spentByDay.get(Math.floor(seconds / 86_400)) ?? 0n));
  return {
    balance: sum(parts.map(({ balance }) => balance)),
    spent: sum(parts.map(({ spent }) => spent)),
    days: DAYS.map(on),
    holds: parts.flatMap(({ holds }) => holds).length,
  };
}

const numRuns = rounds(10);
const setup = fc.record({
  balance: fc.oneof(fc.integer({ min: 200, max: 3_000 }), fc.constant(1_000_000)).map(BigInt),
  parts: fc.constantFrom(1, 1, 4),
});

describe('holds, ends and confirmations that arrive together', () => {
  it('leave exact books, every part at every time, and refuse only what the balance does not give', async () => {
    await fc.assert(
      fc.asyncProperty(setup, waves, async ({ balance, parts }, plan) => {
        const accountId = await openWallet(balance, parts);
        const { entries, broken } = await play(database, accountId, plan);
        expect(broken).toEqual([]);
        expect(await foundOf(accountId)).toEqual(expectedOf(balance, entries));
        expect(entries.filter(({ failed }) => failed)).toEqual([]);
        const isRich = balance === 1_000_000n;
        if (isRich) expect(entries.every((entry) => entry.hold !== undefined)).toBe(true);
      }),
      { numRuns },
    );
  });

  it('leave exact books whichever requests fail: nothing twice, nothing held', async () => {
    await fc.assert(
      fc.asyncProperty(setup, waves, troubles, async ({ balance, parts }, plan, faults: TroublePlan) => {
        const accountId = await openWallet(balance, parts);
        const { entries, broken } = await play(troubledClients(database, faults), accountId, plan);
        expect(broken).toEqual([]);
        expect(await foundOf(accountId)).toEqual(expectedOf(balance, entries));
      }),
      { numRuns },
    );
  });

  it('would not, if a group returned a nano-dollar too much', async () => {
    const generous = (real: DynamoDBClient) =>
      aroundSend(real, (command, send) => {
        const values =
          command instanceof UpdateItemCommand ? command.input.ExpressionAttributeValues : undefined;
        const change = values?.[':change'];
        if (values !== undefined && change !== undefined)
          values[':change'] = number(BigInt(change.N ?? 0) + 1n);
        return send(command);
      });
    const clients = { client: generous(database.client), onceClient: generous(database.onceClient) };
    const accountId = await openWallet(1_000n, 1);
    const plan: CallPlan = {
      ...{ amount: 100n, cost: 40, day: 0, endsAfter: 1 },
    };
    const { broken } = await play(clients, accountId, [[{ ...plan }, { ...plan }, { ...plan }]]);
    expect(broken).not.toEqual([]);
  });
});

describe('one write of a part', () => {
  const wanted = (id: string): Hold => ({
    ...{ id, keyId: 'key_1', kind: 'chat', amount: 100n },
    ...{ created: DAYS[0], expires: DAYS[0] + 60 },
  });
  const end = (each: Hold) => ({ ...each, cost: 30n, recorded: DAYS[0] });

  it('has as many holds as a part has places, and their ends and confirmations', async () => {
    const accountId = await openWallet(100_000_000n, 1);
    const clients = troubledClients(database, new Map());
    const parts = new PartGroups(clients, database.tables.wallets);
    const ids = Array.from({ length: MAX_HOLDS }, (_, at) => `req_${at}`);
    const held = await Promise.all(ids.map((id) => parts.hold(accountId, wanted(id))));
    expect(held.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'granted'));
    expect(clients.sent()).toBe(1);
    await Promise.all(ids.map((id) => parts.confirm(accountId, id)));
    expect(clients.sent()).toBe(2);
    const [part] = await partsOf(accountId);
    const ended = await Promise.all((part?.holds ?? []).map((each) => parts.end(accountId, end(each))));
    expect(clients.sent()).toBe(3);
    expect(ended.map((each) => each?.balance)).toEqual(
      ids.map(() => 100_000_000n - 30n * BigInt(ids.length)),
    );
  });

  it('never has two changes of one hold: its end goes after its confirmation', async () => {
    const accountId = await openWallet(100_000_000n, 1);
    const clients = troubledClients(database, new Map());
    const parts = new PartGroups(clients, database.tables.wallets);
    const id = 'req_both';
    await parts.hold(accountId, wanted(id));
    const [open] = (await partsOf(accountId)).flatMap(({ holds }) => holds);
    if (open === undefined) throw new Error('there is no hold');
    const before = clients.sent();
    await Promise.all([parts.confirm(accountId, id), parts.end(accountId, end(open))]);
    expect(clients.sent() - before).toBe(2);
    expect((await partsOf(accountId))[0]).toMatchObject({ balance: 99_999_970n, holds: [], spent: 30n });
  });

  it('that arrives late changes nothing while its calls are open, and then leaves holds of another attempt', async () => {
    const accountId = await openWallet(100_000_000n, 1);
    let late: (() => Promise<unknown>) | undefined;
    const onceClient = aroundSend(database.onceClient, async (command, send) => {
      if (late !== undefined) return send(command);
      late = () => send(command);
      throw Object.assign(new Error('the request timed out'), { name: 'TimeoutError' });
    });
    const parts = new PartGroups({ ...database, onceClient }, database.tables.wallets);
    const ids = ['a', 'b', 'c'];
    const held = await Promise.all(ids.map((id) => parts.hold(accountId, wanted(id))));
    expect(held.map(({ outcome }) => outcome)).toEqual(ids.map(() => 'granted'));
    const [open] = await partsOf(accountId);
    await late?.().catch(() => {});
    const byId = (holds: readonly Hold[] = []) => holds.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    const [unchanged] = await partsOf(accountId);
    expect({ ...unchanged, holds: byId(unchanged?.holds) }).toEqual({ ...open, holds: byId(open?.holds) });
    await Promise.all((open?.holds ?? []).map((each) => parts.end(accountId, end(each))));
    await late?.();
    const [after] = await partsOf(accountId);
    expect(after?.holds.map(({ id }) => id).toSorted()).toEqual(ids);
    for (const { id, attempt } of after?.holds ?? [])
      expect(attempt).not.toBe(open?.holds.find((each) => each.id === id)?.attempt);
  });

  it('is refused for all when one of them does not fit, and each then has the answer that is its own', async () => {
    const accountId = await openWallet(250n, 1);
    const parts = new PartGroups(database, database.tables.wallets);
    const outcomes = await Promise.all(['a', 'b', 'c'].map((id) => parts.hold(accountId, wanted(id))));
    expect(outcomes.map(({ outcome }) => outcome).toSorted()).toEqual(['granted', 'granted', 'lacking']);
    const [part] = await partsOf(accountId);
    const ends = (part?.holds ?? []).map(end);
    const unknown = end(wanted('nobody'));
    const ended = await Promise.all([...ends, unknown].map((each) => parts.end(accountId, each)));
    expect(ended.map((each) => each === undefined)).toEqual([false, false, true]);
    expect((await partsOf(accountId))[0]).toMatchObject({
      balance: 190n,
      spent: 60n,
      holds: [],
    });
  });
});
