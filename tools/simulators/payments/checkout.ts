/** Checkouts and what becomes of them: opened by the API, paid on a page, refunded or disputed afterwards. */
import * as z from 'zod';
import {
  type CheckoutSession,
  newId,
  nowSeconds,
  type PaymentIntent,
  type PaymentLedger,
  type SimulatedReversal,
} from './books.ts';
import type { Courier } from './courier.ts';
import { missing, SandboxError } from './errors.ts';
import type { FormValue } from './form.ts';

/** Stripe's own default (Stripe API reference, Create a Checkout Session, expires_at). */
const SESSION_SECONDS = 24 * 60 * 60;

/** Stripe charges no less (Stripe documentation, minimum charge amounts). */
const MIN_CENTS = 50;

const sessionSchema = z
  .string()
  .regex(/^\d{1,9}$/)
  .transform(Number);
const metadata = z.record(z.string(), z.string()).default({});
const item = z.strictObject({
  quantity: z.literal('1'),
  price_data: z.strictObject({
    currency: z.literal('usd'),
    unit_amount: sessionSchema,
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

const refundRequest = z.strictObject({ payment_intent: z.string(), amount: sessionSchema.optional() });

function parse<T>(schema: z.ZodType<T>, form: Readonly<Record<string, FormValue>>): T {
  const result = schema.safeParse({ ...form });
  if (result.success) return result.data;
  throw new SandboxError(400, z.prettifyError(result.error), 'parameter_invalid');
}

export class Checkouts {
  readonly #ledger: PaymentLedger;
  readonly #courier: Courier;

  constructor(ledger: PaymentLedger, courier: Courier) {
    this.#ledger = ledger;
    this.#courier = courier;
  }

  /** `origin` is where the sandbox's pages are. */
  open(form: Readonly<Record<string, FormValue>>, origin: string): CheckoutSession {
    const request = parse(checkoutRequest, form);
    const { unit_amount: amount, currency } = request.line_items[0].price_data;
    if (amount < MIN_CENTS)
      throw new SandboxError(400, 'Amount must be at least 50 cents.', 'amount_too_small');
    const id = newId('cs_test');
    const session: CheckoutSession = {
      id,
      object: 'checkout.session',
      mode: 'payment',
      status: 'open',
      payment_status: 'unpaid',
      amount_subtotal: amount,
      amount_total: amount,
      currency,
      client_reference_id: request.client_reference_id ?? null,
      metadata: request.metadata,
      payment_intent: null,
      url: `${origin}/pay/${id}`,
      success_url: request.success_url,
      cancel_url: request.cancel_url ?? null,
      created: nowSeconds(),
      expires_at: nowSeconds() + SESSION_SECONDS,
      livemode: false,
    };
    this.#ledger.records.sessions[id] = session;
    this.#ledger.records.intentMetadata[id] = request.payment_intent_data.metadata;
    this.#ledger.save();
    return session;
  }

  session(id: string): CheckoutSession {
    const record = this.#ledger.records.sessions[id];
    if (record === undefined) throw missing('checkout.session', id);
    return record;
  }

  intent(id: string): PaymentIntent {
    const record = this.#ledger.records.intents[id];
    if (record === undefined) throw missing('payment_intent', id);
    return record;
  }

  async pay(id: string): Promise<CheckoutSession> {
    const session = this.#requireOpen(id);
    const { amount_total: amount, currency, created } = session;
    const intent: PaymentIntent = {
      id: newId('pi'),
      object: 'payment_intent',
      amount,
      currency,
      metadata: this.#ledger.records.intentMetadata[id] ?? {},
      status: 'succeeded',
      latest_charge: newId('ch'),
      created,
      livemode: false,
    };
    this.#ledger.records.intents[intent.id] = intent;
    Object.assign(session, {
      status: 'complete',
      payment_status: 'paid',
      payment_intent: intent.id,
      url: null,
    });
    await this.#courier.send('checkout.session.completed', session);
    return session;
  }

  async expire(id: string): Promise<CheckoutSession> {
    const session = this.#requireOpen(id);
    Object.assign(session, { status: 'expired', url: null });
    await this.#courier.send('checkout.session.expired', session);
    return session;
  }

  async refund(form: Readonly<Record<string, FormValue>>): Promise<SimulatedReversal> {
    const { payment_intent: payment, amount } = parse(refundRequest, form);
    const remainingAmount = this.intent(payment).amount - this.#sentBack(payment);
    if (remainingAmount === 0)
      throw new SandboxError(400, 'Charge has already been refunded.', 'charge_already_refunded');
    if (amount !== undefined && (amount > remainingAmount || amount === 0))
      throw new SandboxError(
        400,
        'Refund amount is greater than unrefunded amount on charge',
        'amount_too_large',
      );
    const refund = this.#reverse('refund', payment, amount ?? remainingAmount, 'succeeded');
    await this.#courier.send('refund.created', refund);
    return refund;
  }

  /** Makes a refund fail, as only a bank can do. */
  async failRefund(id: string): Promise<SimulatedReversal> {
    const refund = this.#reversal('refund', id);
    refund.status = 'failed';
    await this.#courier.send('refund.failed', refund);
    return refund;
  }

  /** Disputes a payment, as only a payer can do. */
  async dispute(payment: string): Promise<SimulatedReversal> {
    const remainingAmount = this.intent(payment).amount - this.#sentBack(payment);
    if (remainingAmount === 0)
      throw new SandboxError(400, 'There is nothing left to dispute.', 'charge_disputed');
    const dispute = this.#reverse('dispute', payment, remainingAmount, 'needs_response');
    await this.#courier.send('charge.dispute.created', dispute);
    await this.#courier.send('charge.dispute.funds_withdrawn', dispute);
    return dispute;
  }

  async winDispute(id: string): Promise<SimulatedReversal> {
    const dispute = this.#reversal('dispute', id);
    dispute.status = 'won';
    await this.#courier.send('charge.dispute.funds_reinstated', dispute);
    await this.#courier.send('charge.dispute.closed', dispute);
    return dispute;
  }

  #requireOpen(id: string): CheckoutSession {
    const session = this.session(id);
    if (session.status === 'open') return session;
    throw new SandboxError(400, `This Checkout Session is ${session.status}.`);
  }

  #reverse(
    object: SimulatedReversal['object'],
    payment: string,
    amount: number,
    status: string,
  ): SimulatedReversal {
    const { currency, latest_charge: charge } = this.intent(payment);
    const reversal: SimulatedReversal = {
      id: newId(object === 'refund' ? 're' : 'dp'),
      object,
      amount,
      currency,
      payment_intent: payment,
      charge,
      status,
      created: nowSeconds(),
      metadata: {},
    };
    this.#ledger.records.reversals[reversal.id] = reversal;
    return reversal;
  }

  #reversal(object: SimulatedReversal['object'], id: string): SimulatedReversal {
    const record = this.#ledger.records.reversals[id];
    if (record === undefined || record.object !== object) throw missing(object, id);
    return record;
  }

  #sentBack(payment: string): number {
    return Object.values(this.#ledger.records.reversals)
      .filter(({ payment_intent: of, status }) => of === payment && status !== 'failed' && status !== 'won')
      .reduce((sum, { amount }) => sum + amount, 0);
  }
}
