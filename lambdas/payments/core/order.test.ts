import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import {
  applyFact,
  entriesBetween,
  type Order,
  orderEntry,
  type PaymentFact,
  refundedAmount,
  statusOf,
} from './order.ts';

const NEW: Order = {
  id: 'ord_1',
  accountId: 'acc_1',
  amount: 1_000n,
  created: 5,
  checkoutUrl: 'https://checkout.example.com/1',
  reversals: {},
  version: 0,
};

/** The credit that the order gives now. */
const creditValue = (order: Order): bigint => (order.paid ?? 0n) - refundedAmount(order);

const PAID: PaymentFact = { kind: 'paid', amount: 1_000n };
const reversal = (id: string, amount: bigint, undone = false): PaymentFact => ({
  kind: 'reversal',
  id,
  amount,
  undone,
});
const knowing = (...facts: PaymentFact[]): Order => facts.reduce(applyFact, NEW);

describe('an order', () => {
  it.each<[string, PaymentFact[]]>([
    ['pending', []],
    ['expired', [{ kind: 'ended', how: 'expired' }]],
    ['failed', [{ kind: 'ended', how: 'failed' }]],
    ['paid', [PAID]],
    ['paid', [{ kind: 'ended', how: 'expired' }, PAID]],
    ['pending', [reversal('re_1', 100n)]],
    ['partially_refunded', [PAID, reversal('re_1', 999n)]],
    ['refunded', [PAID, reversal('re_1', 400n), reversal('dp_1', 600n)]],
    ['refunded', [PAID, reversal('re_1', 1_000n), reversal('dp_1', 1_000n)]],
    ['paid', [PAID, reversal('re_1', 1_000n), reversal('re_1', 1_000n, true)]],
  ])('reaches the status %s after %j', (status, facts) => {
    expect(statusOf(knowing(...facts))).toBe(status);
  });

  it('shows where to pay only while there is something to pay', () => {
    expect(orderEntry(NEW)).toMatchObject({ status: 'pending', checkout_url: NEW.checkoutUrl });
    expect(orderEntry(knowing(PAID))).toMatchObject({ status: 'paid', checkout_url: null });
  });

  it('never credits less than 0 and never refunds more than the paid amount', () => {
    expect(creditValue(knowing(reversal('re_1', 700n)))).toBe(0n);
    expect(creditValue(knowing(reversal('re_1', 700n), PAID))).toBe(300n);
    expect(creditValue(knowing(PAID, reversal('re_1', 700n), reversal('dp_1', 700n)))).toBe(0n);
    expect(refundedAmount(knowing(PAID, reversal('re_1', 700n), reversal('dp_1', 700n)))).toBe(1_000n);
  });

  it('stays the same object if a fact adds nothing new, so that nothing is written', () => {
    const order = knowing(PAID, reversal('re_1', 5n, true));
    expect(applyFact(order, PAID)).toBe(order);
    expect(applyFact(order, reversal('re_1', 5n))).toBe(order);
    expect(applyFact(order, reversal('re_1', 3n, true))).toBe(order);
  });
});

const ids = fc.constantFrom('re_1', 're_2', 'dp_1');
const fact: fc.Arbitrary<PaymentFact> = fc.oneof(
  fc.constant(PAID),
  fc.constant<PaymentFact>({ kind: 'ended', how: 'expired' }),
  fc
    .record({ id: ids, amount: fc.bigInt({ min: 0n, max: 1_500n }), undone: fc.boolean() })
    .map((fields): PaymentFact => ({ kind: 'reversal', ...fields })),
);

const withoutVersion = ({ version: _version, ...rest }: Order) => rest;

describe('the facts of an order', () => {
  it('lead to the same state in any sequence, and however often each arrives', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 8 }), fc.infiniteStream(fc.double()), (facts, chances) => {
        const shuffled = [...facts, ...facts].sort(() => (chances.next().value ?? 0) - 0.5);
        expect(withoutVersion(knowing(...shuffled))).toEqual(withoutVersion(knowing(...facts)));
      }),
    );
  });

  it('create entries that total exactly their change, under unique ids', () => {
    fc.assert(
      fc.property(fc.array(fact, { maxLength: 8 }), (facts) => {
        const names: string[] = [];
        let order = NEW;
        for (const each of facts) {
          const next = applyFact(order, each);
          const entries = entriesBetween(order, next);
          const sum = entries.reduce(
            (total, { kind, amount }) => total + (kind === 'refund' ? -amount : amount),
            0n,
          );
          expect(sum).toBe(creditValue(next) - creditValue(order));
          for (const { kind, id, amount } of entries) {
            expect(amount > 0n).toBe(true);
            names.push(`${kind}#${id}`);
          }
          order = next;
        }
        expect(new Set(names).size).toBe(names.length);
      }),
    );
  });
});
