/** Stripe Checkout through Stripe's own library: checkouts are opened there, and their outcome arrives in signed events. */
import Stripe from 'stripe';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { toCents } from '../../platform/core/money.ts';
import type { ClaimedPayment, PaymentEvent, PaymentProvider } from '../core/ports.ts';
import { StripeApi, type StripeOptions } from './stripe-api.ts';
import { readClaim, readStripeEvent, referenceOf } from './stripe-event.ts';

/** The maximum age of a signed event, in seconds: the recommendation of Stripe, and the default of its library. */
const TOLERANCE_SECONDS = 300;

export class StripePayments implements PaymentProvider {
  readonly #options: StripeOptions;
  readonly #api: StripeApi;
  readonly #returnUrl: string;

  constructor(options: StripeOptions) {
    this.#options = options;
    this.#api = new StripeApi(options);
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

  async readEvent(body: string, signature: string | null): Promise<PaymentEvent | undefined> {
    const { clock, log } = this.#options;
    const secret = await this.#api.secret('webhook_secret');
    let event: Stripe.Event;
    try {
      event = Stripe.webhooks.constructEvent(
        body,
        signature ?? '',
        secret,
        TOLERANCE_SECONDS,
        undefined,
        clock(),
      );
    } catch (cause) {
      throw new ServiceError('invalid_signature', 'The event is not signed by the payment provider.', {
        cause,
      });
    }
    return readStripeEvent(event, {
      metadataOf: async (payment) => {
        const paymentIntent = await this.#api.call('payment', (stripe) =>
          stripe.paymentIntents.retrieve(payment),
        );
        return paymentIntent.metadata;
      },
      log,
    });
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
