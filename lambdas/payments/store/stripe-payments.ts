/** Stripe Checkout through Stripe's own library: checkouts are opened there, and their outcome arrives in signed events. */
import Stripe from 'stripe';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { toCents } from '../../platform/core/money.ts';
import type { ClaimedPayment, PaymentEvent, PaymentProvider, PayoutNews } from '../core/ports.ts';
import { StripeApi, type StripeOptions } from './stripe-api.ts';
import { readClaim, readPayoutNews, readStripeEvent, referenceOf } from './stripe-event.ts';

/** The maximum age of a signed event, in seconds: the recommendation of Stripe, and the default of its library. */
const TOLERANCE_SECONDS = 300;

export interface StripePaymentsOptions extends StripeOptions {
  /** Accepts events of connected accounts. */
  readonly hasPayouts?: boolean;
}

export class StripePayments implements PaymentProvider {
  readonly #options: StripePaymentsOptions;
  readonly #api: StripeApi;
  readonly #returnUrl: string;
  readonly #hasPayouts: boolean;

  constructor(options: StripePaymentsOptions) {
    this.#options = options;
    this.#api = new StripeApi(options);
    this.#hasPayouts = options.hasPayouts ?? false;
    this.#returnUrl = requireVariable(options.environment, VARIABLES.paymentReturnUrl);
  }

  async openCheckout({ orderId, accountId, amount }: Parameters<PaymentProvider['openCheckout']>[0]) {
    const metadata = { order_id: orderId, account_id: accountId };
    const { url } = await this.#api.call('checkout', (stripe) =>
      stripe.checkout.sessions.create(
        {
          mode: 'payment',
          client_reference_id: orderId,
          line_items: [
            {
              quantity: 1,
              price_data: {
                currency: 'usd',
                unit_amount: toCents(amount),
                product_data: { name: 'Credits' },
              },
            },
          ],
          metadata,
          // Refunds and disputes name the payment, not the checkout.
          payment_intent_data: { metadata },
          success_url: this.#returnTo(orderId, 'paid'),
          cancel_url: this.#returnTo(orderId, 'canceled'),
        },
        { idempotencyKey: orderId },
      ),
    );
    if (url === null) throw new Error('the checkout has no address');
    return { url };
  }

  async readEvent(body: string, signature: string | null): Promise<PaymentEvent | PayoutNews | undefined> {
    const { log } = this.#options;
    const verified = await this.#verify(body, signature);
    const news = readPayoutNews(verified.event);
    // The owner of a connected account may create what has the metadata of an order.
    if (news !== undefined || verified.isConnected) return news;
    return readStripeEvent(verified.event, {
      metadataOf: async (payment) => {
        const paymentIntent = await this.#api.call('payment', (stripe) =>
          stripe.paymentIntents.retrieve(payment),
        );
        return paymentIntent.metadata;
      },
      log,
    });
  }

  /** Events of connected accounts come to an endpoint of Stripe's that has another secret. */
  async #verify(body: string, signature: string | null) {
    const { clock } = this.#options;
    const eventOf = (secret: string): Stripe.Event =>
      Stripe.webhooks.constructEvent(body, signature ?? '', secret, TOLERANCE_SECONDS, undefined, clock());
    const secret = await this.#api.secret('webhook_secret');
    try {
      return { event: eventOf(secret), isConnected: false };
    } catch (cause) {
      const connectSecret = this.#hasPayouts ? await this.#api.connectSecret() : undefined;
      try {
        if (connectSecret !== undefined) return { event: eventOf(connectSecret), isConnected: true };
      } catch {
        // Signed by neither.
      }
      const message = 'The event is not signed by the payment provider.';
      throw new ServiceError('invalid_signature', message, { cause });
    }
  }

  claimedPayment(body: string, signature: string | null): ClaimedPayment | undefined {
    return readClaim(body, signature);
  }

  async confirms({ order, checkout }: ClaimedPayment): Promise<boolean> {
    const session = await this.#api.call('claim', (stripe) => stripe.checkout.sessions.retrieve(checkout));
    const { orderId, accountId } = referenceOf(session.metadata) ?? {};
    return session.payment_status === 'paid' && orderId === order.orderId && accountId === order.accountId;
  }

  #returnTo(orderId: string, outcome: string): string {
    const url = new URL(this.#returnUrl);
    url.searchParams.set('order_id', orderId);
    url.searchParams.set('outcome', outcome);
    return url.href;
  }
}
