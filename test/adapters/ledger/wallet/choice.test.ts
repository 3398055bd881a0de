import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { chooseDonors, chooseTarget } from '../../../../lambdas/adapters/ledger/wallet/choice.ts';
import { indexOf, MAX_HOLDS, type Part, partId } from '../../../../lambdas/adapters/ledger/wallet/item.ts';
import type { Target } from '../../../../lambdas/adapters/ledger/wallet/transfer.ts';
import type { Hold } from '../../../../lambdas/core/ledger/ports.ts';
import { it } from '../../../search.ts';

const ACCOUNT = 'acc_1';

/** The most that a part has. */
const MOST = 30_000_000n;

const holdOf = (amount: bigint): Hold => ({
  id: 'req_1',
  keyId: 'key_1',
  kind: 'chat',
  amount,
  created: 0,
  expires: 1,
});

const partOf = (index: number, fields: Partial<Part> = {}): Part => ({
  walletId: partId(ACCOUNT, index),
  balance: 0n,
  holds: [],
  owed: undefined,
  entries: 0,
  spent: 0n,
  spentByDay: new Map(),
  received: 0n,
  used: 0,
  parts: 1,
  total: undefined,
  ...fields,
});

/** The first part and some of the others that it counts. */
const wallet = fc
  .record({
    parts: fc.integer({ min: 1, max: 40 }),
    states: fc.array(
      fc.record({
        there: fc.boolean(),
        balance: fc.bigInt({ min: 0n, max: MOST }),
        open: fc.integer({ min: 0, max: MAX_HOLDS }),
      }),
      { minLength: 40, maxLength: 40 },
    ),
  })
  .map(({ parts, states }) =>
    states.slice(0, parts).flatMap(({ there, balance, open }, index) =>
      index === 0 || there
        ? [
            partOf(index, {
              balance,
              parts: index === 0 ? parts : 1,
              holds: Array.from({ length: open }, (_, at) => ({ ...holdOf(1n), id: `req_${at}` })),
            }),
          ]
        : [],
    ),
  );
/** Most are of what a few parts have together; some are of all that many have. */
const hold = fc
  .oneof(
    { arbitrary: fc.bigInt({ min: 0n, max: 2n * MOST }), weight: 4 },
    { arbitrary: fc.bigInt({ min: 0n, max: 40n * MOST }), weight: 1 },
  )
  .map(holdOf);
const at = fc.nat(50);

const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, each) => total + each, 0n);

/** What a part needs of the others for a hold. */
const missingIn = ({ part }: Target, wanted: Hold): bigint => {
  const missing = wanted.amount - (part?.balance ?? 0n);
  return missing > 0n ? missing : 0n;
};
const canTake = ({ part }: Target): boolean => part === undefined || part.holds.length < MAX_HOLDS;

describe('the part that a hold is taken on with money of the others', () => {
  it('is one that is counted, has a place and can be given what it lacks; there is none only where no part can', () => {
    fc.assert(
      fc.property(wallet, hold, at, at, (parts, wanted, preferred, start) => {
        const count = parts[0]?.parts ?? 1;
        const known = new Map(parts.map((part) => [part.walletId, part]));
        const every = Array.from({ length: count }, (_, index): Target => {
          const walletId = partId(ACCOUNT, index);
          return { walletId, part: known.get(walletId) };
        });
        const othersHave = ({ walletId }: Target): bigint =>
          sum(parts.filter((part) => part.walletId !== walletId).map(({ balance }) => balance));
        const able = (target: Target): boolean =>
          canTake(target) && missingIn(target, wanted) <= othersHave(target);
        const chosen = chooseTarget(parts, wanted, partId(ACCOUNT, preferred), start);
        if (typeof chosen === 'string') {
          expect(every.filter(able)).toEqual([]);
          const afforded = wanted.amount <= sum(parts.map(({ balance }) => balance));
          expect(chosen).toBe(afforded ? 'no place' : 'no money');
          return;
        }
        expect(indexOf(chosen.walletId)).toBeLessThan(count);
        expect(chosen.part).toBe(known.get(chosen.walletId));
        expect(able(chosen)).toBe(true);
        const wished = every[preferred];
        if (wished !== undefined && able(wished)) expect(chosen.walletId).toBe(wished.walletId);
      }),
      { numRuns: 500 },
    );
  });

  it('is the preferred one, else the next from the start on', () => {
    const full = { holds: Array.from({ length: MAX_HOLDS }, () => holdOf(1n)) };
    const parts = [
      partOf(0, { balance: 10n, parts: 5 }),
      partOf(2, full),
      partOf(4, { ...full, balance: 5n }),
    ];
    const chosen = (preferred: number, start: number) => {
      const target = chooseTarget(parts, holdOf(12n), partId(ACCOUNT, preferred), start);
      return typeof target === 'string' ? target : indexOf(target.walletId);
    };
    expect([chosen(0, 3), chosen(1, 3), chosen(3, 0)]).toEqual([0, 1, 3]);
    expect([chosen(2, 2), chosen(2, 4), chosen(4, 1), chosen(9, 3)]).toEqual([3, 0, 1, 3]);
  });

  it('may be a part to be made', () => {
    const full = { holds: Array.from({ length: MAX_HOLDS }, () => holdOf(1n)) };
    const parts = [partOf(0, { balance: 10n, parts: 2, ...full })];
    const target = { walletId: partId(ACCOUNT, 1), part: undefined };
    expect(chooseTarget(parts, holdOf(10n), ACCOUNT, 0)).toEqual(target);
    expect(chooseTarget(parts, holdOf(11n), ACCOUNT, 0)).toBe('no money');
    expect(chooseTarget([partOf(0, { balance: 10n, ...full })], holdOf(10n), ACCOUNT, 0)).toBe('no place');
  });
});

describe('the parts that give what it lacks', () => {
  it('give together what is missing, each no more than it has, and the target nothing', () => {
    fc.assert(
      fc.property(wallet, hold, at, (parts, wanted, start) => {
        const target = chooseTarget(parts, wanted, partId(ACCOUNT, start), start);
        fc.pre(typeof target !== 'string');
        const donors = chooseDonors(parts, wanted, target) ?? [];
        const given = sum(donors.map(({ amount }) => amount));
        expect(given).toBeGreaterThanOrEqual(missingIn(target, wanted));
        for (const { part, amount } of donors) {
          expect(part.walletId).not.toBe(target.walletId);
          expect(amount).toBeGreaterThan(0n);
          expect(amount).toBeLessThanOrEqual(part.balance);
        }
        expect(new Set(donors.map(({ part }) => part.walletId)).size).toBe(donors.length);
      }),
      { numRuns: 500 },
    );
  });

  it('are undefined where together they have less than is missing', () => {
    const parts = [
      partOf(0, { balance: 10n, parts: 3 }),
      partOf(1, { balance: 4n }),
      partOf(2, { balance: 2n }),
    ];
    const target = { walletId: partId(ACCOUNT, 1), part: parts[1] };
    expect(chooseDonors(parts, holdOf(17n), target)).toBeUndefined();
    expect(sum((chooseDonors(parts, holdOf(16n), target) ?? []).map(({ amount }) => amount))).toBe(12n);
  });

  it('give a part’s share of what the richest has more, half of it in two parts, and never less than is missing', () => {
    const given = (count: number, amount: bigint) => {
      const parts = [partOf(0, { balance: 1_000n, parts: count }), partOf(1, { balance: 200n })];
      const donors = chooseDonors(parts, holdOf(amount), { walletId: partId(ACCOUNT, 1), part: parts[1] });
      return sum((donors ?? []).map((donor) => donor.amount));
    };
    expect([given(2, 300n), given(4, 300n), given(8, 201n)]).toEqual([400n, 200n, 100n]);
    expect([given(16, 300n), given(64, 201n)]).toEqual([100n, 12n]);
    expect([given(2, 900n), given(64, 900n)]).toEqual([700n, 700n]);
  });
});
