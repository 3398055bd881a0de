import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { EMPTY_BALANCE, feeOf, nextStep, recordSale, returnOf, type Sale, shortfallOf } from './sale.ts';

const CENT = 10_000_000n;

const sale: Sale = {
  chargeId: 'pur_1',
  sellerId: 'acc_seller',
  buyerId: 'acc_buyer',
  listingId: 'lst_1',
  gross: 500n * CENT,
  fee: feeOf(500n * CENT, 250),
  returned: 0n,
  payable: true,
  status: 'pending',
  created: 0,
  dueAt: 7 * 86_400,
  held: undefined,
};

describe('the fee', () => {
  it('rounds the exact part of the price down to whole cents', () => {
    fc.assert(
      fc.property(fc.bigInt(1n, 1_000_000_000n), fc.integer({ min: 0, max: 10_000 }), (cents, points) => {
        const [fee, exact] = [feeOf(cents * CENT, points), cents * CENT * BigInt(points)];
        expect(fee % CENT).toBe(0n);
        expect(fee * 10_000n <= exact && exact < (fee + CENT) * 10_000n).toBe(true);
      }),
    );
  });

  it('returns completely with the price, in whole cents, and never more than the returned part', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 400 }), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 0, max: 10_000 }),
        (parts, points) => {
          const gross = BigInt(parts.reduce((total, part) => total + part, 0)) * CENT;
          let current: Sale = { ...sale, gross, fee: feeOf(gross, points) };
          const total = { ...recordSale(current) };
          for (const part of parts) {
            const amount = BigInt(part) * CENT;
            const { sale: next, change } = returnOf(current, amount);
            current = next;
            for (const name of ['pending', 'received', 'fees'] as const) total[name] += change[name];
            expect([change.received % CENT, change.fees % CENT]).toEqual([0n, 0n]);
            expect(change.fees <= 0n && change.fees >= -amount).toBe(true);
          }
          expect(current.status).toBe('reversed');
          expect(total).toEqual(EMPTY_BALANCE);
        },
      ),
    );
  });
});

describe('a sale', () => {
  it.each([0n, -CENT, 501n * CENT])('does not return %s nano-USD', (...args: readonly unknown[]) => {
    expect(() => returnOf(sale, args[0] as bigint)).toThrow('not an amount that the sale can return');
  });

  const short = { owed: 0n, netCash: -3n * CENT - 1n, paymentReversed: true, isListed: true };

  it('waits while a payment from before it is reversed, and returns what is missing after 90 days', () => {
    expect(nextStep(sale, short, 7 * 86_400)).toEqual({
      step: 'hold',
      reason: 'buyer_owes',
      dueAt: 14 * 86_400,
    });
    expect(nextStep(sale, short, 90 * 86_400 - 1)).toMatchObject({ step: 'hold' });
    expect(nextStep(sale, short, 90 * 86_400)).toEqual({ step: 'return', amount: 4n * CENT });
    const all = { ...short, netCash: -9_000n * CENT };
    expect(nextStep(sale, all, 90 * 86_400)).toEqual({ step: 'return', amount: 500n * CENT });
  });

  it('matures if the buyer is short because of a payment from after it', () => {
    expect(nextStep(sale, { ...short, paymentReversed: false }, 7 * 86_400)).toEqual({ step: 'mature' });
  });

  it('waits for 90 days if its listing has been removed, and then matures if nothing is missing', () => {
    const removed = { ...short, netCash: 0n, isListed: false };
    for (const day of [7, 84]) {
      const dueAt = (day + 7) * 86_400;
      expect(nextStep(sale, removed, day * 86_400)).toEqual({
        step: 'hold',
        reason: 'listing_removed',
        dueAt,
      });
    }
    expect(nextStep(sale, removed, 90 * 86_400)).toEqual({ step: 'mature' });
    expect(nextStep(sale, { ...removed, netCash: -1n }, 90 * 86_400)).toMatchObject({ step: 'return' });
  });

  it('waits for a debt alone if granted credit has paid for it', () => {
    expect(shortfallOf(short, { payable: false })).toBe(0n);
    expect(shortfallOf({ ...short, owed: 5n }, { payable: false })).toBe(5n);
    expect(shortfallOf({ ...short, owed: 5n }, { payable: true })).toBe(3n * CENT + 1n);
  });
});
