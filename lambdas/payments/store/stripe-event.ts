/** The facts about our orders in the events of Stripe (Stripe API reference, Types of events). */
import type Stripe from 'stripe';
import * as z from 'zod';
import { NANO_PER_CENT } from '../../platform/core/money.ts';
import type { Log } from '../../platform/core/ports.ts';
import type { CheckoutEnd, PaymentFact } from '../core/order.ts';
import type {
  ClaimedPayment,
  OrderReference,
  PaymentEvent,
  PayoutNews,
  PayoutReference,
} from '../core/ports.ts';

type Metadata = Readonly<Record<string, string>> | null | undefined;

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
  const metadata = 'metadata' in read ? read.metadata : await options.metadataOf(idOf(read.payment));
  const order = referenceOf(metadata);
  return order === undefined ? undefined : { order, fact: read.fact, created };
}

/** A payment by its id, or with its fields where it was requested with them. */
type Payment = string | Stripe.PaymentIntent;

interface CheckoutRead {
  /** Undefined if the amount cannot be read. */
  readonly fact: PaymentFact | undefined;
  readonly metadata: Metadata;
}

interface ReversalRead {
  readonly fact: PaymentFact | undefined;
  readonly payment: Payment;
}

const idOf = (payment: Payment): string => (typeof payment === 'string' ? payment : payment.id);

function readFact(event: Stripe.Event): CheckoutRead | ReversalRead | undefined {
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
export function paid(session: Stripe.Checkout.Session): CheckoutRead | undefined {
  const { payment_status: status, amount_total: total, metadata } = session;
  if (status !== 'paid') return undefined;
  return { fact: inUsd(session, total, (amount) => ({ kind: 'paid', amount })), metadata };
}

const ended = ({ metadata }: Stripe.Checkout.Session, how: CheckoutEnd): CheckoutRead => ({
  fact: { kind: 'ended', how },
  metadata,
});

export function refunded(refund: Stripe.Refund): ReversalRead | undefined {
  const undone = refund.status === 'failed' || refund.status === 'canceled';
  const fact = inUsd(refund, refund.amount, (amount) => ({
    kind: 'reversal',
    id: refund.id,
    amount,
    undone,
  }));
  return ofPayment(refund.payment_intent, fact);
}

export function disputed(dispute: Stripe.Dispute, undone: boolean): ReversalRead | undefined {
  const fact = inUsd(dispute, dispute.amount, (amount) => ({
    kind: 'reversal',
    id: dispute.id,
    amount,
    undone,
  }));
  return ofPayment(dispute.payment_intent, fact);
}

/** Reads an event of a payment. A charge without a payment intent does not come from a checkout of ours. */
const ofPayment = (payment: Payment | null, fact: PaymentFact | undefined): ReversalRead | undefined =>
  payment === null ? undefined : { fact, payment };

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
export function referenceOf(metadata: Metadata): OrderReference | undefined {
  const { order_id: orderId = '', account_id: accountId = '' } = metadata ?? {};
  if (!/^ord_[0-9A-HJKMNP-TV-Z]{26}$/.test(orderId) || !/^acc_[0-9A-HJKMNP-TV-Z]{26}$/.test(accountId))
    return undefined;
  return { orderId, accountId };
}

/** Returns the payout that an object is of; undefined if another system created it in the same Stripe account. */
export function payoutReferenceOf(metadata: Metadata): PayoutReference | undefined {
  const { payout_id: id = '', account_id: sellerId = '' } = metadata ?? {};
  if (!/^po_[0-9A-HJKMNP-TV-Z]{26}$/.test(id) || !/^acc_[0-9A-HJKMNP-TV-Z]{26}$/.test(sellerId))
    return undefined;
  return { id, sellerId };
}

/**
 * Returns the payout that an event is about: of the payouts of a connected account, and of the transfers to it (Stripe API
 * reference, Types of events).
 */
export function readPayoutNews(event: Stripe.Event): PayoutNews | undefined {
  switch (event.type) {
    case 'payout.paid':
    case 'payout.failed':
    case 'payout.canceled':
    case 'transfer.reversed': {
      const payout = payoutReferenceOf(event.data.object.metadata);
      return payout === undefined ? undefined : { payout };
    }
    default:
      return undefined;
  }
}

/** The form of the header `Stripe-Signature` (Stripe documentation, Resolve webhook signature verification errors). */
const SIGNATURE_FORM = /^t=\d{1,12}(,v\d=[0-9a-f]{64})+$/;

/** The fields of an event of a paid checkout (Stripe API reference, The Event object). */
const claimSchema = z.object({
  type: z.enum(['checkout.session.completed', 'checkout.session.async_payment_succeeded']),
  data: z.object({
    object: z.object({
      id: z.string().regex(/^cs_\w{1,200}$/),
      metadata: z.record(z.string(), z.string()),
    }),
  }),
});

/** Returns the payment that an event claims whose signature nobody has verified; undefined if it has not the form of one. */
export function readClaim(body: string, signature: string | null): ClaimedPayment | undefined {
  if (!SIGNATURE_FORM.test(signature ?? '')) return undefined;
  const { data: claim } = claimSchema.safeParse(jsonOf(body));
  if (claim === undefined) return undefined;
  const { id: checkout, metadata } = claim.data.object;
  const order = referenceOf(metadata);
  return order === undefined ? undefined : { order, checkout };
}

function jsonOf(body: string): unknown {
  try {
    return JSON.parse(body);
  } catch {
    return undefined;
  }
}
