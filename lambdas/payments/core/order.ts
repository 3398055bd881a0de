/**
 * An order of credit, as the recorded facts of its payment. Facts accumulate: a repeated fact changes nothing, and
 * their sequence does not matter. The credit of the order follows from them, and the ledger follows its credit.
 */
import * as z from 'zod';
import type { LedgerEntry } from '../../ledger/core/ledger-entry.ts';
import { type Body, idOf, seconds, usd } from '../../platform/core/api/response-schema.ts';
import { type NanoUsd, usdJson } from '../../platform/core/money.ts';

/** The ends of a checkout without a payment. */
export const CHECKOUT_ENDS = ['expired', 'failed'] as const;
export type CheckoutEnd = (typeof CHECKOUT_ENDS)[number];

/** Money that the payment provider has sent back, or may yet have to. */
export interface Reversal {
  readonly amount: NanoUsd;
  /** The refund failed, or the dispute was won. */
  readonly undone: boolean;
}

export interface Order {
  /** `ord_<ulid>`. */
  readonly id: string;
  readonly accountId: string;
  readonly amount: NanoUsd;
  /** Seconds since the epoch. */
  readonly created: number;
  /** The page to which the payer is sent. Undefined while only the payment is recorded. */
  readonly checkoutUrl?: string | undefined;
  readonly paid?: NanoUsd | undefined;
  /** The end of the checkout, if it ended without a payment. */
  readonly checkoutEnd?: CheckoutEnd | undefined;
  /** The reversals by the provider's ids of refunds and disputes. */
  readonly reversals: Readonly<Record<string, Reversal>>;
  /** Counts the facts; 0 if only the order is recorded. */
  readonly version: number;
}

/** A fact that the payment provider reports of an order. */
export type PaymentFact =
  | { readonly kind: 'paid'; readonly amount: NanoUsd }
  | { readonly kind: 'ended'; readonly how: CheckoutEnd }
  | ({ readonly kind: 'reversal'; readonly id: string } & Reversal);

const ORDER_STATUSES = ['pending', ...CHECKOUT_ENDS, 'paid', 'partially_refunded', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** Returns the order with one more fact; the same object if the fact is already recorded. */
export function applyFact(order: Order, fact: PaymentFact): Order {
  if (fact.kind === 'paid') return order.paid === undefined ? next(order, { paid: fact.amount }) : order;
  if (fact.kind === 'ended')
    return order.checkoutEnd === undefined ? next(order, { checkoutEnd: fact.how }) : order;
  const { id, amount, undone } = fact;
  const existingReversal = order.reversals[id];
  // A dispute's amount may still grow; an undone reversal stays undone, even when its start is reported later.
  const merged = {
    amount:
      existingReversal !== undefined && existingReversal.amount > amount ? existingReversal.amount : amount,
    undone: undone || existingReversal?.undone === true,
  };
  if (
    existingReversal !== undefined &&
    existingReversal.amount === merged.amount &&
    existingReversal.undone === merged.undone
  )
    return order;
  return next(order, { reversals: { ...order.reversals, [id]: merged } });
}

const next = (order: Order, changes: Partial<Order>): Order => ({
  ...order,
  ...changes,
  version: order.version + 1,
});

/** The part of the payment that was refunded or disputed; never more than was paid. */
export function refundedAmount({ paid = 0n, reversals }: Order): NanoUsd {
  const reversedAmount = Object.values(reversals).reduce(
    (sum, { amount, undone }) => (undone ? sum : sum + amount),
    0n,
  );
  return reversedAmount < paid ? reversedAmount : paid;
}

/** Returns the ledger entries for a change of an order; they total the change of its credit. */
export function entriesBetween(before: Order, after: Order): readonly LedgerEntry[] {
  const entries: LedgerEntry[] = [];
  if (before.paid === undefined && after.paid !== undefined && after.paid > 0n)
    entries.push({ kind: 'top_up', id: after.id, amount: after.paid, cash: after.paid, source: 'order' });
  const back = refundedAmount(after) - refundedAmount(before);
  const id = `${after.id}#${after.version}`;
  if (back > 0n) entries.push({ kind: 'refund', id, amount: back, cash: -back, source: 'order' });
  if (back < 0n) entries.push({ kind: 'top_up', id, amount: -back, cash: -back, source: 'order_reinstated' });
  return entries;
}

/** Returns whether a payer may still pay. */
export const isOpen = (order: Order): boolean => statusOf(order) === 'pending';

export function statusOf(order: Order): OrderStatus {
  if (order.paid === undefined) return order.checkoutEnd ?? 'pending';
  const back = refundedAmount(order);
  if (back === 0n) return 'paid';
  return back < order.paid ? 'partially_refunded' : 'refunded';
}

export const orderSchema = z.object({
  order_id: idOf('ord'),
  object: z.literal('order'),
  status: z.enum(ORDER_STATUSES),
  amount: usd,
  currency: z.literal('USD'),
  checkout_url: z.url().nullable(),
  refunded: usd,
  created: seconds,
});

/** Returns the public entry of an order, for its owner. */
export function orderEntry(order: Order): Body<typeof orderSchema> {
  const status = statusOf(order);
  return {
    order_id: order.id,
    object: 'order',
    status,
    amount: usdJson(order.amount),
    currency: 'USD',
    checkout_url: status === 'pending' ? (order.checkoutUrl ?? null) : null,
    refunded: usdJson(refundedAmount(order)),
    created: order.created,
  };
}
