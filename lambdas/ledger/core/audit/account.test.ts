import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { DAY_SECONDS, SimulatedAccount, type SimulatedHold } from '../../testing/audit/simulated-account.ts';
import { readRollups } from '../usage/account-rollups.ts';
import { ReadingBudget } from '../usage/key-reading.ts';
import { NO_PROGRESS } from '../usage/ports.ts';
import { SETTLED_SECONDS } from '../usage/rollups.ts';
import { auditAccount } from './account.ts';

/** Noon of a day. */
const START = 20_000 * DAY_SECONDS + DAY_SECONDS / 2;

const audit = (account: SimulatedAccount, options: { includesRecords?: boolean; stopMs?: number } = {}) =>
  auditAccount(account, 'acc_a', { clock: () => account.seconds * 1000, ...options });

/** A query of the console for the rollups of today, which stores those of closed hours. */
function show(account: SimulatedAccount) {
  const reading = { ...account.rollups, nowMs: account.seconds * 1000, budget: new ReadingBudget(1_000) };
  return readRollups(reading, 'acc_a', { start: account.day * 24, end: (account.day + 1) * 24 });
}

/** The time of the nightly audit on the day after; whatever was open has been recovered. */
function untilNight(account: SimulatedAccount): void {
  for (const shard of account.wallet)
    for (const hold of [...shard.holds.values()])
      account.end(hold, account.records.find(({ id }) => id === hold.id) ?? account.record(hold, 0n));
  account.seconds = (account.day + 1) * DAY_SECONDS + 3 * 3600;
}

const EXACT = { verdict: 'exact', totals: { exact: true, drift: 0n, unproven: 0 } };

const STEPS = [
  'call',
  'open',
  'close',
  'write',
  'post',
  'take',
  'transfer',
  'grow',
  'collect',
  'merge',
  'wait',
  'show',
  'audit',
] as const;

interface Step {
  readonly what: (typeof STEPS)[number];
  readonly amount: number;
  readonly at: number;
  readonly to: number;
}

const step = fc.record<Step>({
  what: fc.constantFrom('call', 'call', ...STEPS),
  amount: fc.integer({ min: 0, max: 1000 }),
  at: fc.nat(10),
  to: fc.nat(10),
});

/** Does a step; holds that are open are closed within two hours, as recovery closes them. */
async function placeHold(account: SimulatedAccount, open: SimulatedHold[], { what, amount, at, to }: Step) {
  const cost = BigInt(amount);
  const close = () => {
    const hold = open.shift();
    if (hold === undefined) return;
    const written = account.records.find(({ id }) => id === hold.id);
    account.end(hold, written ?? account.record(hold, hold.amount / 2n));
  };
  if (what === 'call') account.call(at, cost, `key_${to % 3}`);
  if (what === 'open') open.push(account.hold(at, cost, `key_${to % 3}`));
  if (what === 'close') close();
  const [oldest] = open;
  // A call has its record before its hold ends.
  if (what === 'write' && oldest !== undefined && !account.records.some(({ id }) => id === oldest.id))
    account.record(oldest, oldest.amount / 3n);
  if (what === 'post') account.post(at % 2 === 0 ? 'top_up' : 'purchase_refund', cost * 10n);
  if (what === 'take') account.post(at % 2 === 0 ? 'refund' : 'purchase', cost);
  if (what === 'transfer') account.transfer(at, to, cost);
  if (what === 'grow' && account.wallet.length < 5) account.grow();
  if (what === 'collect') account.collect(at);
  if (what === 'merge') account.merge();
  if (what === 'wait') {
    const seconds = amount > 700 ? amount * 100 : amount;
    while (open[0] !== undefined && account.seconds + seconds - open[0].created >= SETTLED_SECONDS) close();
    account.seconds += seconds;
  }
}

async function play(steps: readonly Step[]): Promise<SimulatedAccount> {
  const account = new SimulatedAccount(START, ['key_0', 'key_1', 'key_2']);
  const open: SimulatedHold[] = [];
  account.post('top_up', 20_000n);
  for (const each of steps) {
    await placeHold(account, open, each);
    if (each.what === 'show') await show(account);
    if (each.what === 'audit') expect(await audit(account)).toMatchObject(EXACT);
  }
  return account;
}

type Change = readonly [name: string, change: (by: bigint) => void];

/** The change of an amount of an object. */
const changeOf = <K extends string>(
  name: string,
  object: { [key in K]?: bigint | undefined },
  key: K,
): Change => [
  name,
  (by) => {
    object[key] = (object[key] ?? 0n) + by;
  },
];

/** Every amount of an account that an error could change and an audit finds, by name. */
function amountsOf(account: SimulatedAccount, includesRecords: boolean): readonly Change[] {
  const reachedBy = (keyId: string) => account.usageOf.progress.open.get(keyId)?.reached ?? 0;
  return [
    ...account.wallet.flatMap((shard) => [
      changeOf('balance', shard, 'balance'),
      changeOf('spent', shard, 'spentAmount'),
      changeOf('received', shard, 'received'),
      ...[...shard.holds.values()].map((hold) => changeOf('hold', hold, 'amount')),
      ...[...shard.spentByDay]
        .filter(([day]) => day > account.stored.through)
        .map(([day, cost]): Change => ['spent by day', (by) => shard.spentByDay.set(day, cost + by)]),
    ]),
    ...account.books.map((entry) => changeOf('entry', entry, 'amount')),
    ...account.records
      // What a call that is still held has cost is not in the books yet; what is rolled up is not read again.
      .filter(
        ({ id, keyId, created }) =>
          !account.isHeld(id) && (includesRecords || created >= reachedBy(keyId) * 3600),
      )
      .map((record) => changeOf('record', record, 'cost')),
    ...[...account.usageOf.days]
      .filter(([, { day, rows }]) => rows.length > 0 && (includesRecords || day > account.stored.through))
      .map(([key]): Change => ['rollup', (by) => changeRollup(account, key, by)]),
  ];
}

/** Changes the cost of a stored hour. */
function changeRollup({ usageOf: { days } }: SimulatedAccount, key: string, by: bigint): void {
  const [day, [row, ...rows] = []] = [days.get(key), days.get(key)?.rows];
  if (day === undefined || row === undefined) throw new Error('there is no such rollup');
  days.set(key, { ...day, rows: [{ ...row, cost: row.cost + by }, ...rows] });
}

const history = fc.array(step, { minLength: 5, maxLength: 60 });
const plant = fc.record({ at: fc.nat(10_000), by: fc.constantFrom(1n, -1n), whole: fc.boolean() });

describe(`the audit of an account over ${rounds(300)} random histories`, () => {
  it('reports an exact ledger at every rest, also when it reads everything again', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const account = await play(steps);
        expect(await audit(account, { includesRecords: true })).toMatchObject(EXACT);
        expect(await audit(account)).toMatchObject(EXACT);
        untilNight(account);
        expect(await audit(account)).toMatchObject(EXACT);
        const spentAmount = account.wallet.reduce((sum, shard) => sum + shard.spentAmount, 0n);
        expect((await audit(account)).totals).toMatchObject({ usage: spentAmount });
      }),
      { numRuns: rounds(300) },
    );
  });

  it('detects a single nano-dollar anywhere, and reports the difference', async () => {
    const result = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(history, plant, async (steps, { at, by, whole }) => {
        const account = await play(steps);
        const amounts = amountsOf(account, whole);
        const [name, change] = amounts[at % amounts.length] ?? ['none', () => {}];
        change(by);
        result.set(name, (result.get(name) ?? 0) + 1);
        expect([name, await audit(account, { includesRecords: whole })]).toMatchObject([
          name,
          { verdict: 'drift', totals: { drift: 1n, exact: false } },
        ]);
      }),
      { numRuns: rounds(1_200) },
    );
    expect([...result.keys()].sort()).toEqual([
      'balance',
      'entry',
      'hold',
      'received',
      'record',
      'rollup',
      'spent',
      'spent by day',
    ]);
  });

  it('never reports drift while everything moves between any two of its reads', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(step, { minLength: 1, maxLength: 40 }), async (steps, moves) => {
        const account = await play(steps);
        const open: SimulatedHold[] = [];
        let at = 0;
        const move = () => {
          const next = moves[at++ % (moves.length * 3)];
          if (next !== undefined && next.what !== 'wait') void placeHold(account, open, next);
        };
        for (let night = 0; night < 3; night += 1) {
          untilNight(account);
          open.splice(0);
          account.between = move;
          const { verdict, failed } = await audit(account);
          expect([verdict, failed]).not.toEqual(['drift', expect.anything()]);
          account.between = () => {};
        }
        expect(await audit(account)).toMatchObject(EXACT);
        expect(await audit(account, { includesRecords: true })).toMatchObject(EXACT);
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe('a change between two reads of an audit', () => {
  /** An account of two shards with some calls of yesterday, in which a step is taken after the n-th read. */
  function moving(steps: Readonly<Record<number, (account: SimulatedAccount) => void>>): SimulatedAccount {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000n);
    account.grow();
    account.transfer(0, 1, 300n);
    for (let call = 0; call < 4; call += 1) account.call(call, 13n);
    untilNight(account);
    let reads = 0;
    account.between = () => {
      reads += 1;
      steps[reads]?.(account);
    };
    return account;
  }

  it('leaves the audit exact if the shards have the same amounts after it: a top-up and a purchase, of which the audit reads one', async () => {
    // Reads 1 and 2 are the shards, 3 what is proven, 4 the entries, 5 and 6 the shards again.
    const account = moving({
      2: (each) => each.post('top_up', 100n),
      4: (each) => each.post('purchase', 100n),
    });
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.books).toHaveLength(3);
  });

  it('leaves the audit exact although it counts as no entry: a shard that has not been read yet pays a debt', async () => {
    const account = moving({ 1: (each) => each.collect(1) });
    account.post('refund', 800n);
    expect(account.shard(0).debt).toBeGreaterThan(0n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.shard(0).debt).toBe(0n);
  });

  it('leaves the audit exact if only the open calls differ: one ended at no cost, another has cost', async () => {
    let first: SimulatedHold | undefined;
    const account = moving({
      6: (each) => {
        if (first !== undefined) each.end(first, each.record(first, 0n));
        each.record(each.hold(0, 10n), 7n);
      },
    });
    first = account.hold(0, 10n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.records).toHaveLength(6);
  });

  it('leaves the audit exact although it does not change the wallet: a held call is recorded while the rollups are read', async () => {
    let openHold: SimulatedHold | undefined;
    // Read 7 is of the records of held calls, 8 is the first of the rollups.
    const account = moving({
      8: (each) => {
        if (openHold !== undefined) each.record(openHold, 7n);
      },
    });
    openHold = account.hold(0, 10n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.records).toHaveLength(5);
    expect(await audit(account)).toMatchObject(EXACT);
  });
});

describe('the audit of an account under constant load', () => {
  /** An account of some shards with calls between any two reads, from the day before. */
  function contendedAccount(shards = 1): SimulatedAccount {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000_000n);
    while (account.wallet.length < shards) account.grow();
    for (let shard = 1; shard < shards; shard += 1) account.transfer(0, shard, 1_000_000n);
    for (let call = 0; call < 200; call += 1) account.call(call, 13n);
    untilNight(account);
    const open: SimulatedHold[] = [];
    let calls = 0;
    account.between = () => {
      calls += 1;
      account.call(calls, 17n);
      open.push(account.hold(calls, 50n));
      const done = open.length > 3 ? open.shift() : undefined;
      if (done !== undefined) account.end(done, account.record(done, 20n));
    };
    return account;
  }

  it.each([1, 2, 64])('verifies an account of %i shards', async (shards) => {
    const account = contendedAccount(shards);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: account.day - 1, cost: 2600n });
    expect(account.wallet.flatMap(({ spentByDay }) => [...spentByDay.keys()])).not.toContain(account.day - 1);
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.cost).toBeGreaterThan(2600n);
  });

  it.each(['balance', 'spent', 'received', 'spent by day', 'entry', 'record'])(
    'detects a nano-dollar in an amount of the kind "%s" the same night',
    async (kind) => {
      const account = contendedAccount(2);
      const change = amountsOf(account, false).find(([name]) => name === kind)?.[1];
      if (change === undefined) throw new Error('the account has no such amount');
      change(1n);
      expect(await audit(account)).toMatchObject({ verdict: 'drift', totals: { drift: 1n } });
      expect(account.stored.version).toBe(0);
    },
  );

  it('detects a nano-dollar in a record of today the next night', async () => {
    const account = contendedAccount();
    account.call(0, 40n);
    for (const record of account.records.slice(-1)) record.cost += 1n;
    expect(await audit(account)).toMatchObject(EXACT);
    untilNight(account);
    expect(await audit(account)).toMatchObject({ verdict: 'drift', totals: { drift: 1n } });
  });

  it('reports an account as unproven, and never as exact, if a transfer changes it at every read', async () => {
    const account = contendedAccount(2);
    const call = account.between;
    account.between = () => {
      call();
      account.transfer(0, 1, 1n);
    };
    expect(await audit(account)).toMatchObject({
      verdict: 'unproven',
      totals: { exact: false, unproven: 1, drift: 0n },
    });
    account.shard(1).balance += 1n;
    expect(await audit(account)).toMatchObject({ verdict: 'drift', totals: { exact: false } });
  });
});

describe('verified usage', () => {
  const day = START / DAY_SECONDS - 0.5;

  async function signedMessage(): Promise<SimulatedAccount> {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    for (let call = 0; call < 100; call += 1) account.call(0, 10n);
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    return account;
  }

  it('needs no second read: a night reads only the records since', async () => {
    const account = await signedMessage();
    expect(account.recordsRead).toBe(100);
    for (let call = 0; call < 7; call += 1) account.call(0, 10n);
    untilNight(account);
    expect(await audit(account)).toMatchObject({ verdict: 'exact', totals: { usage: 1070n } });
    expect(account.recordsRead).toBe(107);
    expect(account.stored).toMatchObject({ through: day + 1, cost: 1070n });
  });

  it('includes a whole day from two hours and a minute after its end, if no call of the day is open', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    account.call(0, 10n);
    account.seconds = (day + 1) * DAY_SECONDS + 7259;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through).toBeLessThan(day);
    account.seconds += 1;
    const open = account.hold(0, 10n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through).toBe(day);
    account.seconds += 10 * DAY_SECONDS;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through).toBe(day);
    account.end(open, account.record(open, 3n));
    account.seconds += DAY_SECONDS;
    expect(await audit(account)).toMatchObject({ verdict: 'exact', totals: { usage: 13n } });
  });

  it('reaches the store from one of two concurrent audits, and both audits are exact', async () => {
    const account = await signedMessage();
    account.call(0, 10n);
    untilNight(account);
    const audits = await Promise.all([audit(account), audit(account)]);
    for (const each of audits) expect(each).toMatchObject(EXACT);
    expect(account.stored.version).toBe(2);
  });

  it('stays unchanged in the store if the account has had no calls', async () => {
    const account = await signedMessage();
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.version).toBe(1);
  });

  it('accumulates over several audits if one has too little time', async () => {
    const account = new SimulatedAccount(day * DAY_SECONDS);
    account.post('top_up', 1_000_000n);
    for (let call = 0; call < 200; call += 1) {
      account.call(0, 10n, `key_${call % 3}`);
      account.seconds += 300;
    }
    untilNight(account);
    // Two hours of ids are read again at each beginning: 8 records of a key.
    account.usageOf.pageRecords = 12;
    account.between = () => {
      account.seconds += 1;
    };
    const verdicts: string[] = [];
    while (verdicts.at(-1) !== 'exact') {
      const { verdict, totals } = await audit(account, { stopMs: (account.seconds + 16) * 1000 });
      expect(totals.drift).toBe(0n);
      verdicts.push(verdict);
      expect(verdicts.length).toBeLessThan(30);
    }
    expect(verdicts.filter((verdict) => verdict === 'unfinished').length).toBeGreaterThan(2);
    expect(account.stored).toMatchObject({ through: day, cost: 2000n });
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
  });

  it('retains the costs of days that another audit has not verified, if that audit stores its result first', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000n);
    account.call(0, 10n);
    account.seconds += DAY_SECONDS;
    account.call(0, 20n);
    untilNight(account);
    let reads = 0;
    account.between = () => {
      reads += 1;
      if (reads === 10) account.stored = { through: day, cost: 10n, version: 1 };
    };
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: day, version: 1 });
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: day + 1, cost: 30n, version: 2 });
  });

  it('covers only the closed days if the time ends during the open days', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    account.call(0, 10n);
    untilNight(account);
    for (let call = 0; call < 200; call += 1) account.call(0, 10n);
    account.usageOf.pageRecords = 5;
    account.between = () => {
      account.seconds += 1;
    };
    expect(await audit(account, { stopMs: (account.seconds + 15) * 1000 })).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: day, cost: 10n });
    expect(account.recordsRead).toBeLessThan(100);
  });

  it('stays correct wherever an audit is killed, and counts no call twice', async () => {
    for (let writes = 0; ; writes += 1) {
      const account = new SimulatedAccount(START);
      account.post('top_up', 1_000_000n);
      for (let call = 0; call < 9; call += 1) account.call(0, 10n, `key_${call % 3}`);
      untilNight(account);
      account.usageOf.writesLeft = writes;
      const first = await audit(account).catch(() => undefined);
      account.usageOf.writesLeft = Number.POSITIVE_INFINITY;
      expect(await audit(account)).toMatchObject({ ...EXACT, totals: { usage: 90n } });
      expect(account.stored).toMatchObject({ through: day, cost: 90n });
      expect(account.shard(0).spentByDay.size).toBe(0);
      if (first === undefined) continue;
      // Three days, the progress, what is proven and the removal of what it replaces.
      expect(writes).toBe(6);
      return;
    }
  });
});

describe('the usage rollups of the console', () => {
  const day = START / DAY_SECONDS - 0.5;
  const date = new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10);

  /** Two calls of one key and one of another, which is revoked after it; all are rolled up and not proven yet. */
  async function rolledUp(): Promise<SimulatedAccount> {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    for (const key of ['key_a', 'key_a', 'key_b']) account.call(0, 10n, key);
    account.revoked.set('key_b', account.seconds * 1000 + 1);
    for (let hour = 0; hour < 10; hour += 1) {
      account.seconds += 3600;
      await show(account);
    }
    expect([...account.usageOf.days.keys()]).toEqual([`${day} key_a`, `${day} key_b`]);
    expect([...account.usageOf.progress.open.keys()]).toEqual(['key_a']);
    return account;
  }

  /**
   * Each case is a change of an account, and the checks that detect it the night after. Without a change, no check
   * fails.
   */
  it.each<[string, (account: SimulatedAccount) => void, readonly string[]]>([
    ['nothing', () => {}, []],
    [
      'a day that another writer has stored, who was killed then, and stored wrong',
      ({ usageOf }) => {
        const stored = usageOf.days.get(`${day} key_a`);
        if (stored === undefined) throw new Error('nothing is stored');
        usageOf.days.set(`${day} key_a`, { ...stored, through: (day + 1) * 24, rows: [] });
        usageOf.progress = NO_PROGRESS;
      },
      [`rollups of ${date}`],
    ],
    [
      'the rollups of a revoked key that are missing',
      (account) => account.usageOf.days.delete(`${day} key_b`),
      [`rollups of ${date}`],
    ],
    [
      'two hours that are wrong by the same amount',
      (account) => {
        account.seconds += DAY_SECONDS;
        account.call(0, 10n, 'key_a');
        account.shard(0).spentByDay.set(day, 29n);
        account.shard(0).spentByDay.set(day + 1, 11n);
      },
      [
        `rollups of ${date}`,
        `rollups of ${new Date((day + 1) * DAY_SECONDS * 1000).toISOString().slice(0, 10)}`,
      ],
    ],
    [
      'a record that is lost before it is rolled up',
      (account) => {
        account.call(0, 10n, 'key_a');
        account.records.pop();
      },
      [`rollups of ${date}`],
    ],
    [
      'a record that is written twice',
      (account) => {
        account.call(0, 10n, 'key_a');
        const [record] = account.records.slice(-1);
        if (record !== undefined) account.records.push({ ...record, id: `${record.id.slice(0, -1)}Z` });
      },
      [`rollups of ${date}`],
    ],
    [
      'more money that is payable than there is',
      (account) => {
        account.shard(0).payableCash = account.shard(0).netCash + 1n;
      },
      ['payable money'],
    ],
    [
      'a record that is created after its hour was closed',
      (account) => {
        const hold = account.hold(0, 10n, 'key_a');
        account.end(hold, account.record(hold, 7n, START));
      },
      [`rollups of ${date}`],
    ],
  ])('lead to the right verdict the night after: %s', async (_what, change, failed) => {
    const account = await rolledUp();
    change(account);
    untilNight(account);
    const verdict = failed.length === 0 ? 'exact' : 'drift';
    expect(await audit(account)).toMatchObject({ verdict, ...(failed.length === 0 ? {} : { failed }) });
    expect(account.stored.version).toBe(failed.length === 0 ? 1 : 0);
  });

  it('show a wrong record of an open day only in a complete read of an account at rest', async () => {
    const account = await rolledUp();
    const [record] = account.records;
    if (record !== undefined) record.cost += 1n;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(await audit(account, { includesRecords: true })).toMatchObject({
      failed: ['records of open days'],
    });
  });

  it('include a record that is created on a day that is already verified', async () => {
    const account = await rolledUp();
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    const hold = account.hold(0, 10n, 'key_a');
    account.end(hold, account.record(hold, 7n, START));
    expect(await audit(account)).toMatchObject({ verdict: 'drift', failed: ['spent by day'] });
  });

  it('match every record of verified days in a complete read, which names a record of a revoked key that is gone', async () => {
    const account = await rolledUp();
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(await audit(account, { includesRecords: true })).toMatchObject(EXACT);
    account.records.pop();
    expect(await audit(account)).toMatchObject(EXACT);
    expect(await audit(account, { includesRecords: true })).toMatchObject({
      verdict: 'drift',
      failed: ['records', `key_b on ${date}`],
    });
  });

  it.each([
    ['before midnight and recorded after it', -30, 30, true],
    ['before midnight by the clock of its request, and recorded two hours later', -30, 7169, true],
    ['after midnight by the clock of its request, and recorded before it by another', 59, -1, true],
    ['by clocks that differ by more than is allowed for', 62, -1, false],
  ])('count a call by the time of its record: started %s', async (_what, isStarted, recorded, isExact) => {
    const account = new SimulatedAccount((day + 1) * DAY_SECONDS + isStarted);
    account.post('top_up', 1_000n);
    const hold = account.hold(0, 10n);
    account.end(hold, account.record(hold, 7n, (day + 1) * DAY_SECONDS + recorded));
    account.seconds = (day + 1) * DAY_SECONDS + 3 * 3600;
    // Other calls go on, so that only the closed days are read.
    account.between = () => account.call(0, 1n, 'key_b');
    expect((await audit(account)).verdict).toBe(isExact ? 'exact' : 'drift');
    if (isExact) expect(account.stored.cost).toBe(recorded < 0 ? 7n : 0n);
    account.between = () => {};
    untilNight(account);
    expect((await audit(account)).verdict).toBe(isExact ? 'exact' : 'drift');
  });

  it('include the records of calls that were recovered late, because their holds kept the day open', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000n);
    const late = account.hold(0, 10n);
    account.seconds += 3 * DAY_SECONDS;
    account.call(0, 10n);
    expect(await audit(account)).toMatchObject(EXACT);
    account.end(late, account.record(late, 7n));
    untilNight(account);
    expect(await audit(account)).toMatchObject({ verdict: 'exact', totals: { usage: 17n } });
    expect(account.usageOf.progress.open.get('key_a')?.reached).toBe(account.day * 24);
  });
});

describe('an account that has had thousands of keys', () => {
  it('passes the audit the first night, and later audits read neither an ended key nor a record again', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    const keys = Array.from({ length: 3_500 }, (_, key) => `key_${String(key).padStart(4, '0')}`);
    for (const key of keys) {
      account.call(0, 10n, key);
      account.revoked.set(key, account.seconds * 1000 + 1);
    }
    for (let call = 0; call < 3; call += 1) account.call(0, 10n, 'key_last');
    const read: number[] = [];
    for (let night = 0; night < 5; night += 1) {
      untilNight(account);
      const before = account.recordsRead;
      expect(await audit(account)).toMatchObject({ verdict: 'exact', totals: { usage: 35_030n } });
      read.push(account.recordsRead - before);
      account.revoked.set('key_last', account.seconds * 1000);
    }
    // Of 1,000 open keys 999 are revoked ones. The others are read until it is their turn; the last, once live, is not.
    expect(read).toEqual([3_503, 2_501, 1_502, 503, 0]);
    untilNight(account);
    const { queries } = account.usageOf;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.usageOf.queries).toBe(queries);
  });
});
