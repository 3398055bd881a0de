/**
 * An order of credit, as the known facts of its payment. Facts accumulate: a repeated fact changes nothing, and their
 * sequence does not matter. The credit of the order follows from them, and the books follow its credit.
 */
import * as z from 'zod';
import type { BookEntry } from '../../ledger/core/book-entry.ts';
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
  /** The page to which the payer goes. Undefined while only the payment is known. */
  readonly checkoutUrl?: string | undefined;
  readonly paid?: NanoUsd | undefined;
  /** The end of the checkout, if it ended without a payment. */
  readonly ended?: CheckoutEnd | undefined;
  /** The reversals by the provider's ids of refunds and disputes. */
  readonly reversals: Readonly<Record<string, Reversal>>;
  /** Counts the facts; 0 when nothing but the order is known. */
  readonly version: number;
}

/** A fact that the payment provider reports of an order. */
export type PaymentFact =
  | { readonly kind: 'paid'; readonly amount: NanoUsd }
  | { readonly kind: 'ended'; readonly how: CheckoutEnd }
  | ({ readonly kind: 'reversal'; readonly id: string } & Reversal);

const ORDER_STATUSES = ['pending', ...CHECKOUT_ENDS, 'paid', 'partially_refunded', 'refunded'] as const;
export type OrderStatus = (typeof ORDER_STATUSES)[number];

/** The order with one more fact; the very same order when it is known already. */
export function applyFact(order: Order, fact: PaymentFact): Order {
  if (fact.kind === 'paid') return order.paid === undefined ? next(order, { paid: fact.amount }) : order;
  if (fact.kind === 'ended') return order.ended === undefined ? next(order, { ended: fact.how }) : order;
  const { id, amount, undone } = fact;
  const known = order.reversals[id];
  // A dispute's amount may still grow; an undone reversal stays undone, even when its start is reported later.
  const merged = {
    amount: known !== undefined && known.amount > amount ? known.amount : amount,
    undone: undone || known?.undone === true,
  };
  if (known !== undefined && known.amount === merged.amount && known.undone === merged.undone) return order;
  return next(order, { reversals: { ...order.reversals, [id]: merged } });
}

const next = (order: Order, changes: Partial<Order>): Order => ({
  ...order,
  ...changes,
  version: order.version + 1,
});

/** The part of the payment that was refunded or disputed; never more than was paid. */
export function refundedAmount({ paid = 0n, reversals }: Order): NanoUsd {
  const sent = Object.values(reversals).reduce(
    (sum, { amount, undone }) => (undone ? sum : sum + amount),
    0n,
  );
  return sent < paid ? sent : paid;
}

/** The entries of the books for a change of an order; their sum is the change of its credit. */
export function entriesBetween(before: Order, after: Order): readonly BookEntry[] {
  const entries: BookEntry[] = [];
  if (before.paid === undefined && after.paid !== undefined && after.paid > 0n)
    entries.push({ kind: 'top_up', id: after.id, amount: after.paid, source: 'order' });
  const back = refundedAmount(after) - refundedAmount(before);
  const id = `${after.id}#${after.version}`;
  if (back > 0n) entries.push({ kind: 'refund', id, amount: back, source: 'order' });
  if (back < 0n) entries.push({ kind: 'top_up', id, amount: -back, source: 'order_reinstated' });
  return entries;
}

/** Returns whether a payer may still pay. */
export const isOpen = (order: Order): boolean => statusOf(order) === 'pending';

export function statusOf(order: Order): OrderStatus {
  if (order.paid === undefined) return order.ended ?? 'pending';
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

/** An order as its owner sees it. */
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
