import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { unspentCash } from '../../../ledger/core/ledger-entry.ts';
import { greatest } from '../../../platform/core/money.ts';
import {
  type MarketEvent,
  MarketModel,
  type MarketRules,
  permutations,
  RULES,
} from '../../testing/market-model.ts';
import { EMPTY_BALANCE, feeOf, nextStep, recordSale, returnOf, type Sale, shortfallOf } from './sale.ts';

const CENT = 10_000_000n;

const amounts = fc.record({
  event: fc.constantFrom('pay', 'grant', 'call', 'buy', 'buy'),
  buyer: fc.nat(1),
  cents: fc.integer({ min: 1, max: 500 }),
}) as fc.Arbitrary<MarketEvent>;

const event: fc.Arbitrary<MarketEvent> = fc.oneof(
  { weight: 5, arbitrary: amounts },
  {
    weight: 2,
    arbitrary: fc.record({ event: fc.constantFrom('dispute', 'dispute', 'win'), pick: fc.nat(20) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      event: fc.constant('refund'),
      pick: fc.nat(20),
      cents: fc.integer({ min: 1, max: 500 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ event: fc.constant('transfer'), cents: fc.integer({ min: 1, max: 500 }) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ event: fc.constant('wait'), days: fc.constantFrom(1, 4, 8, 40, 100) }),
  },
) as fc.Arbitrary<MarketEvent>;

const history = fc.array(event, { minLength: 20, maxLength: 60 });

const play = (events: readonly MarketEvent[], rules?: MarketRules): MarketModel => {
  const model = new MarketModel(rules);
  for (const each of events) model.play(each);
  return model;
};

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

/** Rules that are each broken in one place, as an error in the product would break them. */
const CONTROLS: readonly (MarketRules & { readonly what: string })[] = [
  { ...RULES, what: 'granted credit is payable', isPayable: () => true },
  { ...RULES, what: 'money that was used up counts again', unspentCash: (payableCash) => payableCash },
  { ...RULES, what: 'a sale matures without a check', nextStep: () => ({ step: 'mature' }) },
  {
    ...RULES,
    what: 'only a debt holds a sale',
    nextStep: (each, funds, now) => nextStep(each, { ...funds, netCash: 0n }, now),
  },
  {
    ...RULES,
    what: 'the fee of a returned amount is kept',
    returnOf(each, amount) {
      const result = returnOf(each, amount);
      return { ...result, change: { ...result.change, fees: 0n } };
    },
  },
  {
    ...RULES,
    what: 'what was returned before is not counted',
    returnOf(each, amount) {
      const result = returnOf(each, amount);
      return { ...result, sale: { ...result.sale, returned: amount } };
    },
  },
  {
    ...RULES,
    what: 'a matured sale is returned out of the pending proceeds',
    returnOf(each, amount) {
      const { change, ...rest } = returnOf({ ...each, status: 'pending' }, amount);
      return { ...rest, change };
    },
  },
];

describe('the balance of a seller', () => {
  it('obeys every law in any history of payments, disputes, purchases, refunds and transfers', () => {
    const seen: Record<string, number> = {};
    fc.assert(
      fc.property(history, (events) => {
        for (const [status, count] of Object.entries(play(events).counts))
          seen[status] = (seen[status] ?? 0) + count;
      }),
      { numRuns: rounds(600) },
    );
    // Histories that reach no state prove nothing of it.
    for (const status of ['pending', 'available', 'credited', 'reversed', 'held'])
      expect(seen[status]).toBeGreaterThan(10);
  });

  it.each(CONTROLS)('breaks a law if $what', (...args: readonly unknown[]) => {
    const [rules] = args as [MarketRules];
    expect(
      fc.check(
        fc.property(history, (events) => void play(events, rules)),
        { numRuns: 2_000 },
      ).failed,
    ).toBe(true);
  });
});

describe('a payment that calls have used up', () => {
  const won: readonly MarketEvent[] = [
    { event: 'pay', buyer: 0, cents: 100 },
    { event: 'call', buyer: 0, cents: 100 },
    { event: 'dispute', pick: 0 },
    { event: 'grant', buyer: 0, cents: 100 },
    { event: 'win', pick: 0 },
    { event: 'buy', buyer: 0, cents: 100 },
  ];

  it('pays for no listing after a grant has paid its debt and its dispute is won', () => {
    expect(play(won).sales).toMatchObject([{ payable: false }]);
  });

  it('breaks a law if a debt is not part of the balance', () => {
    const isBlind = (payableCash: bigint, balance: bigint) => unspentCash(payableCash, greatest(balance, 0n));
    expect(() => play(won, { ...RULES, unspentCash: isBlind })).toThrow('a sale is payable by what was paid');
  });
});

describe('the reversals of payments', () => {
  const EVENTS: readonly MarketEvent[] = [
    { event: 'dispute', pick: 0 },
    { event: 'dispute', pick: 1 },
    { event: 'win', pick: 1 },
    { event: 'dispute', pick: 2 },
    { event: 'refund', pick: 0, cents: 150 },
    { event: 'wait', days: 8 },
  ];

  it('add up in all 720 orders, and leave no debt if the sale matures after them', () => {
    let orders = 0;
    for (const events of permutations(EVENTS)) {
      orders += 1;
      const model = play([
        ...[100, 300, 200].map((cents) => ({ event: 'pay', buyer: 0, cents }) as const),
        { event: 'buy', buyer: 0, cents: 400 },
        ...events,
        { event: 'wait', days: 100 },
        { event: 'wait', days: 8 },
      ]);
      expect(model.seller.pending).toBe(0n);
      if (events.at(-1)?.event === 'wait') expect(model.wallet(0).owed).toBe(0n);
    }
    expect(orders).toBe(720);
  });
});

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
