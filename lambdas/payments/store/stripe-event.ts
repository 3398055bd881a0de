/** The facts about our orders in the events of Stripe (Stripe API reference, Types of events). */
import type Stripe from 'stripe';
import { NANO_PER_CENT } from '../../platform/core/money.ts';
import type { Log } from '../../platform/core/ports.ts';
import type { CheckoutEnd, PaymentFact } from '../core/order.ts';
import type { OrderReference, PaymentEvent } from '../core/ports.ts';

type Metadata = Readonly<Record<string, string>> | null;

export interface EventReaderOptions {
  /** Requests the metadata of a payment from Stripe: its refunds and disputes do not contain it. */
  readonly metadataOf: (payment: string) => Promise<Metadata>;
  readonly log: Log;
}

/** Returns undefined for an event about no order of ours. */
export async function readStripeEvent(
  event: Stripe.Event,
  options: EventReaderOptions,
): Promise<PaymentEvent | undefined> {
  const { id, created } = event;
  const read = readFact(event);
  if (read === undefined) return undefined;
  if (read.fact === undefined) {
    options.log.error('payment event that cannot be read', { event: id, type: event.type });
    return undefined;
  }
  const metadata = 'metadata' in read ? read.metadata : await options.metadataOf(read.payment);
  const order = referenceOf(metadata);
  return order === undefined ? undefined : { order, fact: read.fact, created };
}

type Read =
  | { readonly fact: PaymentFact | undefined; readonly metadata: Metadata }
  | { readonly fact: PaymentFact | undefined; readonly payment: string };

function readFact(event: Stripe.Event): Read | undefined {
  switch (event.type) {
    case 'checkout.session.completed':
    case 'checkout.session.async_payment_succeeded':
      return paid(event.data.object);
    case 'checkout.session.async_payment_failed':
      return ended(event.data.object, 'failed');
    case 'checkout.session.expired':
      return ended(event.data.object, 'expired');
    case 'refund.created':
    case 'refund.updated':
    case 'refund.failed':
      return refunded(event.data.object);
    case 'charge.dispute.funds_withdrawn':
      return disputed(event.data.object, false);
    case 'charge.dispute.funds_reinstated':
      return disputed(event.data.object, true);
    default:
      return undefined;
  }
}

/** Reads a completed checkout. It may still wait for its money; a later event then reports the payment. */
function paid(session: Stripe.Checkout.Session): Read | undefined {
  const { payment_status: status, amount_total: total, metadata } = session;
  if (status !== 'paid') return undefined;
  return { fact: inUsd(session, total, (amount) => ({ kind: 'paid', amount })), metadata };
}

const ended = ({ metadata }: Stripe.Checkout.Session, how: CheckoutEnd): Read => ({
  fact: { kind: 'ended', how },
  metadata,
});

function refunded(refund: Stripe.Refund): Read | undefined {
  const undone = refund.status === 'failed' || refund.status === 'canceled';
  const fact = inUsd(refund, refund.amount, (amount) => ({
    kind: 'reversal',
    id: refund.id,
    amount,
    undone,
  }));
  return ofPayment(refund.payment_intent, fact);
}

function disputed(dispute: Stripe.Dispute, undone: boolean): Read | undefined {
  const fact = inUsd(dispute, dispute.amount, (amount) => ({
    kind: 'reversal',
    id: dispute.id,
    amount,
    undone,
  }));
  return ofPayment(dispute.payment_intent, fact);
}

/** Reads an event of a payment. A charge without a payment intent does not come from a checkout of ours. */
function ofPayment(
  payment: string | { readonly id: string } | null,
  fact: PaymentFact | undefined,
): Read | undefined {
  if (payment === null) return undefined;
  return { fact, payment: typeof payment === 'string' ? payment : payment.id };
}

/** Undefined for another currency, which no order of ours is in, or for an invalid amount. */
function inUsd(
  { currency }: { readonly currency: string | null },
  cents: number | null,
  fact: (amount: bigint) => PaymentFact,
): PaymentFact | undefined {
  if (currency !== 'usd' || cents === null || !Number.isSafeInteger(cents) || cents < 0) return undefined;
  return fact(BigInt(cents) * NANO_PER_CENT);
}

/** Returns the order of the payment; undefined if another system created it in the same Stripe account. */
function referenceOf(metadata: Metadata): OrderReference | undefined {
  const { order_id: orderId = '', account_id: accountId = '' } = metadata ?? {};
  if (!/^ord_[0-9A-HJKMNP-TV-Z]{26}$/.test(orderId) || !/^acc_[0-9A-HJKMNP-TV-Z]{26}$/.test(accountId))
    return undefined;
  return { orderId, accountId };
}
