import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDatabase, type TestDatabase } from '../../adapters/engine.ts';
import { FAULTS, FailingProcess, type Fault } from './failing-process.ts';
import { brokenBooks, brokenCaps, type CallPlan, type History, play, unexpectedFailures } from './history.ts';
import {
  auditAll,
  booksOf,
  callOf,
  HOLD_TTL_SECONDS,
  NOON_MS,
  openAccount,
  openLedger,
  outcomeOf,
  sweep,
} from './running-ledger.ts';

let database: TestDatabase;

beforeAll(async () => {
  database = await startDatabase();
});
afterAll(() => database.stop());

const PLAN: CallPlan = { process: 0, key: 0, amount: 500n, cost: 200n, settles: 'at-once', pauseSeconds: 0 };
const CAPS = { daily_usd: 5_000n, monthly_usd: 50_000n };
const AFTER_MS = NOON_MS + (HOLD_TTL_SECONDS + 1) * 1000;

function history(changes: Partial<History> = {}): History {
  return {
    startMs: NOON_MS,
    lagSeconds: 0,
    balance: 10_000n,
    policies: [CAPS, CAPS],
    calls: [PLAN],
    overlapping: false,
    faults: [new Map(), new Map()],
    sweeperFaults: new Map(),
    lateLands: 'before',
    ...changes,
  };
}

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
  'a call that frees credit from an expired hold': history({
    balance: 600n,
    calls: [
      before,
      { ...PLAN, process: 1, settles: 'never' },
      { ...PLAN, pauseSeconds: HOLD_TTL_SECONDS + 1 },
    ],
  }),
};

/** Every way in which one database call of a history may fail; the sweeper's too. */
async function singleFaults(story: History): Promise<readonly [string, History][]> {
  const { databaseCalls } = await play(database, story);
  const ordinals = Array.from({ length: databaseCalls + 2 }, (_, index) => index + 1);
  return ordinals.flatMap((ordinal) =>
    FAULTS.flatMap((fault): [string, History][] => {
      const plan = new Map([[ordinal, fault]]);
      const [, other] = story.faults;
      return [
        [`call ${ordinal} ${fault}`, { ...story, faults: [plan, other], sweeperFaults: new Map() }],
        [
          `call ${ordinal} ${fault}, landing late`,
          { ...story, faults: [plan, other], sweeperFaults: new Map([[9, 'unsent']]), lateLands: 'after' },
        ],
        [`sweeper’s call ${ordinal} ${fault}`, { ...story, sweeperFaults: plan }],
      ];
    }),
  );
}

async function failures(
  stories: readonly (readonly [string, History])[],
  judge: (aftermath: Awaited<ReturnType<typeof play>>) => string[],
): Promise<string[]> {
  const found = await Promise.all(
    stories.map(async ([name, story]) =>
      judge(await play(database, story)).map((broken) => `${name}: ${broken}`),
    ),
  );
  return found.flat();
}

let played = 0;

describe.each(Object.entries(HISTORIES))('%s', (_name, story) => {
  it('leaves exact books and no hold whichever one database call fails, in whichever way', async () => {
    const stories = await singleFaults(story);
    played += stories.length;
    expect(
      await failures(stories, (aftermath) => [...brokenBooks(aftermath), ...unexpectedFailures(aftermath)]),
    ).toEqual([]);
  });

  it('gives no cap back more than it took, whichever one database call fails, in whichever way', async () => {
    expect(await failures(await singleFaults(story), brokenCaps)).toEqual([]);
  });
});

describe('two faults in one call', () => {
  const pairs = (): (readonly [string, History])[] => {
    const ordinals = [1, 2, 3, 4, 5];
    return ordinals.flatMap((first) =>
      ordinals
        .filter((second) => second > first)
        .flatMap((second) =>
          FAULTS.flatMap((a) =>
            FAULTS.map((b): readonly [string, History] => {
              const plan = new Map<number, Fault>([
                [first, a],
                [second, b],
              ]);
              const story = history({ calls: [before, PLAN], faults: [plan, new Map()] });
              return [`call ${first} ${a}, call ${second} ${b}`, story];
            }),
          ),
        ),
    );
  };

  it('leave exact books and no hold, whichever they are', async () => {
    const stories = pairs();
    played += stories.length;
    expect(await failures(stories, brokenBooks)).toEqual([]);
  });

  it('give no cap back more than it took, whichever they are', async () => {
    expect(await failures(pairs(), brokenCaps)).toEqual([]);
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

  it('gives the key back what a released hold had taken from the day and the month', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS);
    const [key] = account.keys;
    await openLedger({ clients: database, clock: () => NOON_MS }).ledger.admit(callOf(key, 500n));
    const late = openLedger({ clients: database, clock: () => AFTER_MS });
    expect(await sweep(late, database.client)).toEqual({ settled: 0, released: 1 });
    expect(await late.keys.read(key.keyId)).toMatchObject({ dayLeft: 5_000n, monthLeft: 50_000n });
  });

  it('by many sweepers at once ends each hold once and gives back once', async () => {
    const account = await openAccount(database.client, 10_000n, CAPS, CAPS);
    const { ledger } = openLedger({ clients: database, clock: () => NOON_MS });
    for (const amount of [100n, 200n, 300n]) {
      for (const key of account.keys) await ledger.admit(callOf(key, amount));
    }
    const sweepers = Array.from({ length: 5 }, () =>
      openLedger({ clients: database, clock: () => AFTER_MS }),
    );
    await Promise.all(sweepers.map((sweeper) => sweep(sweeper, database.client)));
    const books = await booksOf(database.client, account);
    expect(books).toMatchObject({ wallet: { balance: 10_000n, holds: [] }, audit: { exact: true } });
    expect(books.records.map(({ status }) => status)).toEqual(Array.from({ length: 6 }, () => 'expired'));
    for (const { keyId } of account.keys) {
      const state = await sweepers[0]?.keys.read(keyId);
      expect((state?.dayLeft ?? 0n) <= CAPS.daily_usd).toBe(true);
    }
  });

  it('settles at the record’s cost a call whose process died after the record was written', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS);
    const process = new FailingProcess(database, new Map([[6, 'dies-before']]));
    const { ledger, gate } = openLedger({ clients: process.clients, clock: () => NOON_MS });
    await gate.touch(account.keys[0]);
    const admission = await ledger.admit(callOf(account.keys[0], 500n));
    await admission.settle(outcomeOf(123n));
    expect((await booksOf(database.client, account)).wallet.holds).toHaveLength(1);
    const late = openLedger({ clients: database, clock: () => AFTER_MS });
    expect(await sweep(late, database.client)).toEqual({ settled: 1, released: 0 });
    const books = await booksOf(database.client, account);
    expect(books).toMatchObject({
      wallet: { balance: 877n },
      records: [{ cost: 123n, status: 'completed' }],
    });
  });

  it('writes no record of a call that was refused, though a long call beside it once saw its hold', async () => {
    const account = await openAccount(database.client, 1_000n, CAPS, { daily_usd: 0n });
    const [key, refusedKey] = account.keys;
    let nowMs = NOON_MS;
    const clock = () => nowMs;
    const { ledger, wallets } = openLedger({ clients: database, clock });
    const undone = callOf(refusedKey ?? key, 100n);
    const created = nowMs / 1000;
    const hold = { id: undone.requestId, keyId: undone.key.keyId, kind: 'chat' as const, amount: 100n };
    await wallets.hold(account.accountId, { ...hold, created, expires: created + HOLD_TTL_SECONDS });
    nowMs += 600_000;
    const long = await ledger.admit(callOf(key, 500n));
    await wallets.endHold(account.accountId, { id: undone.requestId, amount: 100n, cost: 0n });
    nowMs += 700_000;
    await long.settle(outcomeOf(100n));
    expect((await booksOf(database.client, account)).records.map(({ status }) => status)).toEqual([
      'completed',
    ]);
  });
});

it('leaves the books of the whole database exact, with no hold, after one pass over every wallet', async () => {
  const last = openLedger({ clients: database, clock: () => AFTER_MS + 86_400_000 });
  await sweep(last, database.client);
  expect(await auditAll(database.client)).toMatchObject({ exact: true, drift: 0n, held: 0n });
  console.info(`${played} histories with planned faults`);
}, 20_000);
