import { describe, expect } from '@jest/globals';
import { engineClients } from '../../../tools/test-kit/engine.ts';
import { delayFirstHold } from '../../../tools/test-kit/lost-answers.ts';
import { it } from '../../../tools/test-kit/search.ts';
import { offsets } from '../../../tools/test-kit/thorough.ts';
import { fileDatabase } from '../../platform/testing/file-database.ts';
import { MAX_HOLDS } from '../store/wallet/item.ts';
import { FAULTS, type Fault } from '../testing/failing-process.ts';
import {
  type Aftermath,
  brokenCaps,
  type CallPlan,
  type History,
  historyOf,
  ledgerViolations,
  PLAN,
  play,
  unexpectedFailures,
} from '../testing/history.ts';
import {
  callOf,
  HOLD_TTL_SECONDS,
  ledgerOf,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
} from '../testing/running-ledger.ts';
import { isCallHold } from './ports.ts';

const database = fileDatabase();
const CAPS = { daily_usd: 5_000n, monthly_usd: 50_000n };
const AFTER_MS = NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000;

const history = (changes: Partial<History> = {}) =>
  historyOf({ balance: 10_000n, policies: [CAPS, CAPS], calls: [PLAN], ...changes });

/** One call of each kind, with a call before it so that its windows have begun where they should. */
const before: CallPlan = { ...PLAN, amount: 1n, cost: 1n, process: 1 };
const HISTORIES: Readonly<Record<string, History>> = {
  'the first call of a minute': history(),
  'a call in a minute that has begun': history({ calls: [before, PLAN] }),
  'a call that costs more than its hold': history({ calls: [before, { ...PLAN, cost: 900n }] }),
  'a call that costs more than there is': history({
    balance: 600n,
    calls: [before, { ...PLAN, cost: 900n }],
  }),
  'a call that never settles': history({ calls: [before, { ...PLAN, settles: 'never' }] }),
  'a call that settles after it was recovered': history({ calls: [before, { ...PLAN, settles: 'late' }] }),
  'a call that its key refuses': history({ calls: [before, { ...PLAN, amount: 5_001n }] }),
  'a call that its wallet refuses': history({ balance: 300n, calls: [before, PLAN] }),
  'a call on a wallet in several shards': history({ shards: 3, calls: [before, { ...PLAN, cost: 900n }] }),
  'a call that frees credit from an expired hold': history({
    balance: 600n,
    calls: [
      before,
      { ...PLAN, process: 1, settles: 'never' },
      { ...PLAN, pauseSeconds: HOLD_TTL_SECONDS + 1 },
    ],
  }),
};

/** Shards are made and merged while calls are open. */
const PART_HISTORIES: Readonly<Record<string, History>> = {
  'more calls at once than a part has places for': history({
    calls: [before, { ...PLAN, copies: MAX_HOLDS + 2 }],
  }),
  'calls on a wallet whose shards are merged meanwhile': history({
    shards: 3,
    calls: [
      { ...PLAN, process: 1, settles: 'late' },
      { ...PLAN, tidies: true, pauseSeconds: 700 },
    ],
  }),
};

type Story = readonly [name: string, history: History];

/** A sweeper ends one hold in three calls, after the one that reads the wallet. */
const SWEEPER_CALLS = 4;

/** The ways in which one database call of a history, or of a sweeper after it, may fail: one in `stride` in a plain run. */
async function singleFaults(story: History, stride = 8): Promise<readonly Story[]> {
  const { databaseCalls } = await play(database, story);
  const [, other] = story.faults;
  const each = (calls: number, build: (ordinal: number, fault: Fault) => Story[]) =>
    Array.from({ length: calls }, (_, index) => FAULTS.flatMap((fault) => build(index + 1, fault))).flat();
  return sampled(stride, [
    ...each(databaseCalls, (ordinal, fault) => {
      const faults = [new Map([[ordinal, fault]]), other] as const;
      const plain: Story = [`call ${ordinal} ${fault}`, { ...story, faults }];
      const sweeperFaults = new Map([[SWEEPER_CALLS + 1, 'unsent' as const]]);
      const after: History = { ...story, faults, sweeperFaults, lateLands: 'after' };
      return fault === 'late' ? [plain, [`call ${ordinal} ${fault}, after a sweeper`, after]] : [plain];
    }),
    ...each(SWEEPER_CALLS, (ordinal, fault) => [
      [`sweeper’s call ${ordinal} ${fault}`, { ...story, sweeperFaults: new Map([[ordinal, fault]]) }],
    ]),
  ]);
}

/** One story in `stride` in a plain run, from one on that the seed decides; all with `THOROUGH` of as much. */
function sampled(stride: number, stories: readonly Story[]): readonly Story[] {
  const chosen = new Set(offsets(0, stories.length - 1, stride));
  return stories.filter((_, at) => chosen.has(at));
}

/** Plays each story once; both judgements below are of the same plays. */
function playAll(stories: () => Promise<readonly Story[]>) {
  let plays: Promise<readonly (readonly [string, Aftermath])[]> | undefined;
  return async (judge: (aftermath: Aftermath) => string[]): Promise<string[]> => {
    plays ??= stories().then((all) =>
      Promise.all(all.map(async ([name, story]) => [name, await play(database, story)] as const)),
    );
    const played = await plays;
    return played.flatMap(([name, aftermath]) => judge(aftermath).map((broken) => `${name}: ${broken}`));
  };
}

describe.each([
  ...Object.entries(HISTORIES).map(([name, story]) => [name, () => singleFaults(story)] as const),
  ...Object.entries(PART_HISTORIES).map(([name, story]) => [name, () => singleFaults(story, 24)] as const),
])('%s, with a failure of any type at any of its database calls', (_name, stories) => {
  const judgeAll = playAll(async () => {
    const all = await stories();
    if (all.length === 0) throw new Error('no story to play');
    return all;
  });

  it('leaves an exact ledger, one record per call and no hold', async () => {
    expect(
      await judgeAll((aftermath) => [...ledgerViolations(aftermath), ...unexpectedFailures(aftermath)]),
    ).toEqual([]);
  });

  it('gives no cap back more than it took', async () => {
    expect(await judgeAll(brokenCaps)).toEqual([]);
  });
});

describe('recovery', () => {
  it('leaves a hold that has not expired alone', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS);
    const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
    const admission = await ledger.admit(callOf(account.keys[0], 500n));
    const early = openLedger({ clients: database, clock: () => NOON_MS + HOLD_TTL_SECONDS * 1000 - 1 });
    expect(await sweep(early, database.client)).toEqual({ settled: 0, released: 0 });
    expect((await admission.settle(outcomeOf(500n))).record.cost).toBe(500n);
  });

  it('leaves to a repair what a released hold had taken from the caps of its key', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS);
    const [key] = account.keys;
    const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
    await ledger.admit(callOf(key, 500n));
    const late = openLedger({ clients: database, clock: () => AFTER_MS });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: 1 });
    expect(await late.keys.read(key.keyId)).toMatchObject({ dayLeft: 4_500n, monthLeft: 49_500n });
  });

  it('charges a settled call nothing more if a lost first attempt at its hold reaches the database late', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS);
    const clients = engineClients(database.endpoint);
    const { land } = delayFirstHold(clients.client, clients.onceClient);
    const { ledger } = openLedger({ clients, clock: () => NOON_MS });
    const admission = await ledger.admit(callOf(account.keys[0], 500n)).catch(() => undefined);
    const settlement = await admission?.settle(outcomeOf(123n));
    await land();
    await sweep(openLedger({ clients: database, clock: () => AFTER_MS }), database.client);
    const paid = settlement?.record.cost ?? 0n;
    const totals = await ledgerOf(database.client, account);
    expect(totals).toMatchObject({ wallet: { balance: 1_000n - paid, holds: [] }, audit: { exact: true } });
  });

  it('writes no record of a rejected call, although a concurrent long call has read its hold', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS, { daily_usd: 0n });
    const [key, rejectedKey] = account.keys;
    let nowMs = NOON_MS;
    const clock = () => nowMs;
    const { ledger, wallets } = openLedger({ clients: database, clock });
    const undone = callOf(rejectedKey ?? key, 100n);
    const { wallet } = await wallets.hold(account.accountId, {
      id: undone.requestId,
      keyId: undone.key.keyId,
      kind: 'chat',
      amount: 100n,
      expires: nowMs / 1000 + HOLD_TTL_SECONDS,
    });
    const [hold] = (wallet?.holds ?? []).filter(isCallHold);
    if (hold === undefined) throw new Error('the hold was refused');
    nowMs += 600_000;
    const long = await ledger.admit(callOf(key, 500n));
    await wallets.endHold(account.accountId, { ...hold, cost: 0n, recorded: 0 });
    nowMs += 700_000;
    await long.settle(outcomeOf(100n));
    expect((await ledgerOf(database.client, account)).records.map(({ status }) => status)).toEqual([
      'completed',
    ]);
  });
});
