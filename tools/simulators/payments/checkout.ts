/** Checkouts and what becomes of them: opened by the API, paid on a page, refunded afterwards. */
import * as z from 'zod';
import { escapeHtml, page } from '../pages.ts';
import { newId, nowSeconds, type PaymentLedger } from './books.ts';
import { noConnectRecords } from './connect/records.ts';
import type { Courier, SandboxEvent } from './courier.ts';
import { SandboxError } from './errors.ts';
import type { FormValue } from './form.ts';
import type { StoredAnswer } from './idempotency.ts';
import { type ListCall, type ListedRecord, listPage } from './lists.ts';

/** Stripe's own default (Stripe API reference, Create a Checkout Session, expires_at). */
const SESSION_SECONDS = 24 * 60 * 60;

/** Stripe charges no less (Stripe documentation, minimum charge amounts). */
const MIN_CENTS = 50;

const cents = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const metadata = z.record(z.string(), z.string()).default({});
const item = z.strictObject({
  quantity: z.literal('1'),
  price_data: z.strictObject({
    currency: z.literal('usd'),
    unit_amount: cents,
    product_data: z.strictObject({ name: z.string().min(1) }),
  }),
});

/** The parameters that the sandbox knows; Stripe refuses unknown ones too. */
const checkoutRequest = z.strictObject({
  mode: z.literal('payment'),
  client_reference_id: z.string().max(200).optional(),
  line_items: z.strictObject({ 0: item }),
  metadata,
  payment_intent_data: z.strictObject({ metadata }).default({ metadata: {} }),
  success_url: z.url(),
  cancel_url: z.url().optional(),
});

const refundRequest = z.strictObject({ payment_intent: z.string(), amount: cents.optional() });

function parse<T>(schema: z.ZodType<T>, form: Readonly<Record<string, FormValue>>): T {
  const result = schema.safeParse({ ...form });
  if (result.success) return result.data;
  throw new SandboxError(400, z.prettifyError(result.error), 'parameter_invalid');
}

/** Stripe API reference, The Checkout Session object. */
function newSession(request: z.infer<typeof checkoutRequest>, origin: string) {
  const { unit_amount: amount, currency } = request.line_items[0].price_data;
  const id = newId('cs_test');
  return {
    id,
    object: 'checkout.session',
    mode: request.mode,
    status: 'open',
    payment_status: 'unpaid',
    amount_subtotal: amount,
    amount_total: amount,
    currency,
    client_reference_id: request.client_reference_id ?? null,
    metadata: request.metadata,
    payment_intent: null as string | null,
    url: `${origin}/pay/${id}` as string | null,
    success_url: request.success_url,
    cancel_url: request.cancel_url ?? null,
    created: nowSeconds(),
    expires_at: nowSeconds() + SESSION_SECONDS,
    livemode: false,
  };
}

type CheckoutSession = ReturnType<typeof newSession>;
type Metadata = CheckoutSession['metadata'];

const newIntent = ({ amount_total: amount, currency, created }: CheckoutSession, of: Metadata) => ({
  id: newId('pi'),
  object: 'payment_intent',
  amount,
  currency,
  metadata: of,
  status: 'succeeded',
  latest_charge: newId('ch'),
  created,
  livemode: false,
});

type PaymentIntent = ReturnType<typeof newIntent>;

const newRefund = ({ id, currency, latest_charge: charge }: PaymentIntent, amount: number) => ({
  id: newId('re'),
  object: 'refund',
  amount,
  currency,
  payment_intent: id,
  charge,
  status: 'succeeded',
  created: nowSeconds(),
  metadata: {},
});

/** A dispute that has taken the money (Stripe API reference, The Dispute object). */
const newDispute = ({ id, amount, currency, latest_charge: charge }: PaymentIntent) => ({
  id: newId('du'),
  object: 'dispute',
  amount,
  currency,
  payment_intent: id,
  charge,
  status: 'needs_response',
  balance_transactions: [{ id: newId('txn'), object: 'balance_transaction', amount: -amount }],
  created: nowSeconds(),
  metadata: {},
});

export const noRecords = () => ({
  sessions: {} as Record<string, CheckoutSession>,
  /** The metadata that a session's payment will have. */
  intentMetadata: {} as Record<string, Metadata>,
  intents: {} as Record<string, PaymentIntent>,
  refunds: {} as Record<string, ReturnType<typeof newRefund>>,
  disputes: {} as Record<string, ReturnType<typeof newDispute>>,
  /** Answers by account and idempotency key. */
  answers: {} as Record<string, StoredAnswer>,
  ...noConnectRecords(),
  outbox: {} as Record<string, SandboxEvent>,
});

function found<T>(records: Readonly<Record<string, T>>, what: string, id: string): T {
  const record = records[id];
  if (record === undefined) throw new SandboxError(404, `No such ${what}: '${id}'`, 'resource_missing');
  return record;
}

export class Checkouts {
  readonly #ledger: PaymentLedger<ReturnType<typeof noRecords>>;
  readonly #courier: Courier;

  constructor(ledger: PaymentLedger<ReturnType<typeof noRecords>>, courier: Courier) {
    this.#ledger = ledger;
    this.#courier = courier;
  }

  /** `origin` is where the sandbox's pages are. */
  open(form: Readonly<Record<string, FormValue>>, origin: string): CheckoutSession {
    const request = parse(checkoutRequest, form);
    const session = newSession(request, origin);
    if (session.amount_total < MIN_CENTS)
      throw new SandboxError(400, 'Amount must be at least 50 cents.', 'amount_too_small');
    this.#ledger.records.sessions[session.id] = session;
    this.#ledger.records.intentMetadata[session.id] = request.payment_intent_data.metadata;
    this.#ledger.save();
    return session;
  }

  session(id: string): CheckoutSession {
    return found(this.#ledger.records.sessions, 'checkout.session', id);
  }

  intent(id: string): PaymentIntent {
    return found(this.#ledger.records.intents, 'payment_intent', id);
  }

  /** One page of the records of that kind. */
  list(kind: 'sessions' | 'refunds' | 'disputes', call: Omit<ListCall, 'hasStatus'>): object {
    const records = Object.values<ListedRecord>(this.#ledger.records[kind]);
    return listPage(records, { ...call, hasStatus: kind === 'sessions' });
  }

  async pay(id: string): Promise<CheckoutSession> {
    const session = this.session(id);
    if (session.status !== 'open') throw new SandboxError(400, `This Checkout Session is ${session.status}.`);
    const intent = newIntent(session, this.#ledger.records.intentMetadata[id] ?? {});
    this.#ledger.records.intents[intent.id] = intent;
    const payment = { status: 'complete', payment_status: 'paid', payment_intent: intent.id, url: null };
    await this.#courier.send('checkout.session.completed', Object.assign(session, payment));
    return session;
  }

  async refund(form: Readonly<Record<string, FormValue>>): Promise<object> {
    const { payment_intent: payment, amount } = parse(refundRequest, form);
    const intent = this.intent(payment);
    const refunds = Object.values(this.#ledger.records.refunds).filter(
      (each) => each.payment_intent === payment,
    );
    const remaining = refunds.reduce((left, each) => left - each.amount, intent.amount);
    if (remaining === 0)
      throw new SandboxError(400, 'Charge has already been refunded.', 'charge_already_refunded');
    if (amount !== undefined && (amount > remaining || amount === 0))
      throw new SandboxError(
        400,
        'Refund amount is greater than unrefunded amount on charge',
        'amount_too_large',
      );
    const refund = newRefund(intent, amount ?? remaining);
    this.#ledger.records.refunds[refund.id] = refund;
    await this.#courier.send('refund.created', refund);
    return refund;
  }

  /** Has the payer's bank dispute a payment, as one does after a payment with a test card of Stripe's. */
  async dispute(payment: string): Promise<void> {
    const dispute = newDispute(this.intent(payment));
    this.#ledger.records.disputes[dispute.id] = dispute;
    await this.#courier.send('charge.dispute.funds_withdrawn', dispute);
  }

  /** The page of a checkout: one button, and no card. */
  page(id: string): string {
    const { amount_total: amount, status, cancel_url: cancel } = this.session(id);
    if (status !== 'open') return page('Nothing to pay', `<p>This checkout is ${escapeHtml(status)}.</p>`);
    const title = `Pay ${(amount / 100).toFixed(2)} USD`;
    const back = cancel === null ? '' : `<p><a href="${escapeHtml(cancel)}">Cancel</a></p>`;
    return page(
      title,
      `<p>A sandbox: no money moves.</p><form method="post" action="/pay/${escapeHtml(id)}"><button>${title}</button></form>${back}`,
    );
  }
}
