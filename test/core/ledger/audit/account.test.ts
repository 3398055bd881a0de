import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { auditAccount } from '../../../../lambdas/core/ledger/audit/account.ts';
import type { ProvenUsage } from '../../../../lambdas/core/ledger/audit/ports.ts';
import { it } from '../../../search.ts';
import { rounds } from '../../../thorough.ts';
import { DAY_SECONDS, SimulatedAccount, type SimulatedHold } from './simulated-account.ts';

/** Noon of a day. */
const START = 20_000 * DAY_SECONDS + DAY_SECONDS / 2;

const audit = (account: SimulatedAccount, options: { whole?: boolean; stopMs?: number } = {}) =>
  auditAccount(account, 'acc_a', { clock: () => account.seconds * 1000, ...options });

/** The time of the nightly audit on the day after; whatever was open has been recovered. */
function untilNight(account: SimulatedAccount): void {
  for (const part of account.wallet)
    for (const hold of [...part.holds.values()])
      account.end(hold, account.records.find(({ id }) => id === hold.id) ?? account.record(hold, 0n));
  account.seconds = (account.day + 1) * DAY_SECONDS + 3 * 3600;
}

const EXACT = { verdict: 'exact', books: { exact: true, drift: 0n, unproven: 0 } };

interface Step {
  readonly what:
    | 'call'
    | 'open'
    | 'close'
    | 'write'
    | 'post'
    | 'take'
    | 'transfer'
    | 'grow'
    | 'collect'
    | 'merge'
    | 'wait'
    | 'audit';
  readonly amount: number;
  readonly at: number;
  readonly to: number;
}

const step = fc.record<Step>({
  what: fc.constantFrom(
    'call',
    'call',
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
    'audit',
  ),
  amount: fc.integer({ min: 0, max: 1000 }),
  at: fc.nat(10),
  to: fc.nat(10),
});

/** Does a step; holds that are open are closed within two hours, as recovery closes them. */
async function take(account: SimulatedAccount, open: SimulatedHold[], { what, amount, at, to }: Step) {
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
  if (what === 'post') account.post(at % 2 === 0 ? 'top_up' : 'sale', cost * 10n);
  if (what === 'take') account.post(at % 2 === 0 ? 'refund' : 'purchase', cost);
  if (what === 'transfer') account.transfer(at, to, cost);
  if (what === 'grow' && account.wallet.length < 5) account.grow();
  if (what === 'collect') account.collect(at);
  if (what === 'merge') account.merge();
  if (what === 'wait') {
    if (amount > 700) while (open.length > 0) close();
    account.seconds += amount > 700 ? amount * 100 : amount;
  }
}

async function play(steps: readonly Step[]): Promise<SimulatedAccount> {
  const account = new SimulatedAccount(START);
  const open: SimulatedHold[] = [];
  account.post('top_up', 20_000n);
  for (const each of steps) {
    await take(account, open, each);
    if (each.what === 'audit') expect(await audit(account)).toMatchObject(EXACT);
  }
  return account;
}

/** Every amount of an account that an error could change, by name. */
function amountsOf(account: SimulatedAccount, unproven: boolean): [string, (by: bigint) => void][] {
  const through = unproven ? (account.stored.through ?? Number.NEGATIVE_INFINITY) : Number.NEGATIVE_INFINITY;
  return [
    ...account.wallet.flatMap((part): [string, (by: bigint) => void][] => [
      [
        'balance',
        (by) => {
          part.balance += by;
        },
      ],
      [
        'spent',
        (by) => {
          part.spent += by;
        },
      ],
      [
        'received',
        (by) => {
          part.received = (part.received ?? 0n) + by;
        },
      ],
      ...[...part.holds.values()].map((hold): [string, (by: bigint) => void] => [
        'hold',
        (by) => {
          hold.amount += by;
        },
      ]),
      ...[...part.spentByDay]
        .filter(([day]) => day > (account.stored.through ?? Number.NEGATIVE_INFINITY))
        .map(([day, cost]): [string, (by: bigint) => void] => [
          'spent by day',
          (by) => {
            part.spentByDay.set(day, cost + by);
          },
        ]),
    ]),
    ...account.books.map((entry): [string, (by: bigint) => void] => [
      'entry',
      (by) => {
        entry.amount += by;
      },
    ]),
    ...account.records
      // What a call that is still held has cost is not in the books yet.
      .filter(({ id, created }) => created >= (through + 1) * DAY_SECONDS && !account.isHeld(id))
      .map((record): [string, (by: bigint) => void] => [
        'record',
        (by) => {
          record.cost += by;
        },
      ]),
  ];
}

const history = fc.array(step, { minLength: 5, maxLength: 60 });
const plant = fc.record({ at: fc.nat(10_000), by: fc.constantFrom(1n, -1n), whole: fc.boolean() });

describe(`the audit of an account over ${rounds(300)} random histories`, () => {
  it('is exact at every rest, also when it reads everything again', async () => {
    await fc.assert(
      fc.asyncProperty(history, async (steps) => {
        const account = await play(steps);
        expect(await audit(account, { whole: true })).toMatchObject(EXACT);
        expect(await audit(account)).toMatchObject(EXACT);
        untilNight(account);
        expect(await audit(account)).toMatchObject(EXACT);
        const spent = account.wallet.reduce((sum, part) => sum + part.spent, 0n);
        expect((await audit(account)).books).toMatchObject({ usage: spent });
      }),
      { numRuns: rounds(300) },
    );
  }, 60_000);

  it('finds a single nano-dollar anywhere, and by how much it is off', async () => {
    const found = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(history, plant, async (steps, { at, by, whole }) => {
        const account = await play(steps);
        const amounts = amountsOf(account, !whole);
        const [name, change] = amounts[at % amounts.length] ?? ['none', () => {}];
        change(by);
        found.set(name, (found.get(name) ?? 0) + 1);
        expect([name, await audit(account, { whole })]).toMatchObject([
          name,
          { verdict: 'drift', books: { drift: 1n, exact: false } },
        ]);
      }),
      { numRuns: rounds(600) },
    );
    expect([...found.keys()].sort()).toEqual([
      'balance',
      'entry',
      'hold',
      'received',
      'record',
      'spent',
      'spent by day',
    ]);
  }, 60_000);

  it('is never wrong while everything moves between any two of its reads', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(step, { minLength: 1, maxLength: 40 }), async (steps, moves) => {
        const account = await play(steps);
        const open: SimulatedHold[] = [];
        let at = 0;
        const move = () => {
          const next = moves[at++ % (moves.length * 3)];
          if (next !== undefined && next.what !== 'wait') void take(account, open, next);
        };
        for (let night = 0; night < 3; night += 1) {
          untilNight(account);
          open.splice(0);
          account.between = move;
          const { verdict } = await audit(account);
          expect(verdict).not.toBe('drift');
          account.between = () => {};
        }
        expect(await audit(account)).toMatchObject(EXACT);
        expect(await audit(account, { whole: true })).toMatchObject(EXACT);
      }),
      { numRuns: rounds(300) },
    );
  }, 60_000);
});

describe('what moves between two reads of an audit', () => {
  /** An account of two parts with some calls of yesterday, in which a step is taken after the n-th read. */
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

  it('is noticed where the parts have the same amounts after it: a top-up and a purchase, of which it reads one', async () => {
    // Reads 1 and 2 are the parts, 3 what is proven, 4 the entries, 5 and 6 the parts again.
    const account = moving({
      2: (each) => each.post('top_up', 100n),
      4: (each) => each.post('purchase', 100n),
    });
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.books).toHaveLength(3);
  });

  it('is noticed where it counts as no entry: what is owed is paid by a part that has not been read yet', async () => {
    const account = moving({ 1: (each) => each.collect(1) });
    account.post('refund', 800n);
    expect(account.part(0).owed).toBeGreaterThan(0n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.part(0).owed).toBe(0n);
  });

  it('is noticed where nothing but the calls that are open is different: one ended at no cost, another has cost', async () => {
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
});

describe('under constant load', () => {
  /** An account of some parts with calls between any two reads, from the day before. */
  function busy(parts = 1): SimulatedAccount {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000_000n);
    while (account.wallet.length < parts) account.grow();
    for (let part = 1; part < parts; part += 1) account.transfer(0, part, 1_000_000n);
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

  it.each([1, 2, 64])('an account of %i parts is proven', async (parts) => {
    const account = busy(parts);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: account.day - 1, cost: 2600n });
    expect(account.wallet.flatMap(({ spentByDay }) => [...spentByDay.keys()])).not.toContain(account.day - 1);
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.cost).toBeGreaterThan(2600n);
  });

  it.each([
    [
      'a balance',
      (account: SimulatedAccount) => {
        account.part(1).balance += 1n;
      },
    ],
    [
      'what was spent',
      (account: SimulatedAccount) => {
        account.part(0).spent -= 1n;
      },
    ],
    [
      'what was spent on the day',
      (account: SimulatedAccount) => {
        account.part(0).spentByDay.set(account.day, (account.part(0).spentByDay.get(account.day) ?? 0n) + 1n);
      },
    ],
    [
      'what was received',
      (account: SimulatedAccount) => {
        account.part(1).received = (account.part(1).received ?? 0n) - 1n;
      },
    ],
    [
      'an entry',
      (account: SimulatedAccount) => {
        for (const entry of account.books) entry.amount += 1n;
      },
    ],
    [
      'a record of yesterday',
      (account: SimulatedAccount) => {
        for (const record of account.records.slice(0, 1)) record.cost -= 1n;
      },
    ],
  ])('a nano-dollar in %s is found the same night', async (_what, change) => {
    const account = busy(2);
    change(account);
    expect(await audit(account)).toMatchObject({ verdict: 'drift', books: { drift: 1n } });
    expect(account.stored.version).toBe(0);
  });

  it('a nano-dollar in a record of today is found the next night', async () => {
    const account = busy();
    account.call(0, 40n);
    for (const record of account.records.slice(-1)) record.cost += 1n;
    expect(await audit(account)).toMatchObject(EXACT);
    untilNight(account);
    expect(await audit(account)).toMatchObject({ verdict: 'drift', books: { drift: 1n } });
  });

  it('an account that a transfer changes at every reading is unproven, and not said to be exact', async () => {
    const account = busy(2);
    const call = account.between;
    account.between = () => {
      call();
      account.transfer(0, 1, 1n);
    };
    expect(await audit(account)).toMatchObject({
      verdict: 'unproven',
      books: { exact: false, unproven: 1, drift: 0n },
    });
    account.part(1).balance += 1n;
    expect(await audit(account)).toMatchObject({ verdict: 'drift', books: { exact: false } });
  });
});

describe('the usage that is proven', () => {
  const day = START / DAY_SECONDS - 0.5;

  async function proven(): Promise<SimulatedAccount> {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    for (let call = 0; call < 100; call += 1) account.call(0, 10n);
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    return account;
  }

  it('is not read again: a night reads the records since', async () => {
    const account = await proven();
    expect(account.recordsRead).toBe(100);
    for (let call = 0; call < 7; call += 1) account.call(0, 10n);
    untilNight(account);
    expect(await audit(account)).toMatchObject({ verdict: 'exact', books: { usage: 1070n } });
    expect(account.recordsRead).toBe(107);
    expect(account.stored).toMatchObject({ through: day + 1, cost: 1070n });
  });

  it('is a whole day, two hours after its end and when no call of it is open', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    account.call(0, 10n);
    account.seconds = (day + 1) * DAY_SECONDS + 7199;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through ?? 0).toBeLessThan(day);
    account.seconds += 1;
    const open = account.hold(0, 10n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through).toBe(day);
    account.seconds += 10 * DAY_SECONDS;
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.through).toBe(day);
    account.end(open, account.record(open, 3n));
    account.seconds += DAY_SECONDS;
    expect(await audit(account)).toMatchObject({ verdict: 'exact', books: { usage: 13n } });
  });

  it('is stored by one of two audits at once, and both are right', async () => {
    const account = await proven();
    account.call(0, 10n);
    untilNight(account);
    const audits = await Promise.all([audit(account), audit(account)]);
    for (const each of audits) expect(each).toMatchObject(EXACT);
    expect(account.stored.version).toBe(2);
  });

  it('is not stored again for an account that has had no calls', async () => {
    const account = await proven();
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored.version).toBe(1);
  });

  it('is right whatever an interruption between storing and removing days leaves', async () => {
    const account = await proven();
    account.part(0).spentByDay.set(day, 1000n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.part(0).spentByDay.has(day)).toBe(false);
  });

  it('is read in several audits where one has too little time', async () => {
    const account = new SimulatedAccount(START);
    account.post('top_up', 1_000_000n);
    for (let call = 0; call < 50; call += 1) account.call(0, 10n, `key_${call % 3}`);
    untilNight(account);
    const stored: ProvenUsage[] = [];
    for (let reading = 0; reading < 60; reading += 1) {
      // The time is over at the first record.
      const { verdict } = await audit(account, { stopMs: 0 });
      stored.push(account.stored);
      account.call(0, 1n, 'key_0');
      if (verdict === 'exact') break;
      expect(verdict).toBe('unfinished');
    }
    expect(stored.at(-2)?.partial?.cost).toBe(500n);
    expect(await audit(account)).toMatchObject(EXACT);
    expect(account.stored).toMatchObject({ through: day, cost: 500n, partial: undefined });
    untilNight(account);
    expect(await audit(account)).toMatchObject(EXACT);
  });
});
