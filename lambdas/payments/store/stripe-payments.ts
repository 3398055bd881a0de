/** Stripe Checkout through Stripe's own library: checkouts are opened there, and their outcome arrives in signed events. */
import Stripe from 'stripe';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import { toCents } from '../../platform/core/money.ts';
import type { Clock, Log, SecretReader } from '../../platform/core/ports.ts';
import type { PaymentEvent, PaymentProvider } from '../core/ports.ts';
import { readStripeEvent } from './stripe-event.ts';

/** A person waits for the checkout; Lambda's limit is 28 s, and the library sends the request twice. */
const REQUEST_MS = 8_000;
const RETRIES = 1;

/** The maximum age of a signed event, in seconds: the recommendation of Stripe, and the default of its library. */
const TOLERANCE_SECONDS = 300;

const RETRY_AFTER_SECONDS = 5;

export interface StripeOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  readonly log: Log;
}

export class StripePayments implements PaymentProvider {
  readonly #options: StripeOptions;
  readonly #secretId: string;
  readonly #apiUrl: URL;
  readonly #returnUrl: string;
  #client: { readonly key: string; readonly stripe: Stripe } | undefined;

  constructor(options: StripeOptions) {
    const { environment } = options;
    this.#options = options;
    this.#secretId = requireVariable(environment, VARIABLES.paymentSecret);
    this.#apiUrl = new URL(requireVariable(environment, VARIABLES.paymentApiUrl));
    this.#returnUrl = requireVariable(environment, VARIABLES.paymentReturnUrl);
  }

  async openCheckout({ orderId, accountId, amount }: Parameters<PaymentProvider['openCheckout']>[0]) {
    const stripe = await this.#connect();
    const metadata = { order_id: orderId, account_id: accountId };
    const { url } = await this.#callStripe('checkout', () =>
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
    const { readSecret, clock, log } = this.#options;
    const stripe = await this.#connect();
    const secret = await readSecret(`secretsmanager:${this.#secretId}#webhook_secret`);
    let event: Stripe.Event;
    try {
      event = stripe.webhooks.constructEvent(
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
        const paymentIntent = await this.#callStripe('payment', () =>
          stripe.paymentIntents.retrieve(payment),
        );
        return paymentIntent.metadata;
      },
      log,
    });
  }

  async #connect(): Promise<Stripe> {
    const key = await this.#options.readSecret(`secretsmanager:${this.#secretId}#api_key`);
    if (this.#client?.key !== key) this.#client = { key, stripe: this.#open(key) };
    return this.#client.stripe;
  }

  #open(key: string): Stripe {
    const { protocol, hostname, port } = this.#apiUrl;
    return new Stripe(key, {
      protocol: protocol === 'http:' ? 'http' : 'https',
      host: hostname,
      ...(port === '' ? {} : { port }),
      timeout: REQUEST_MS,
      maxNetworkRetries: RETRIES,
      telemetry: false,
    });
  }

  #returnTo(orderId: string, outcome: string): string {
    const url = new URL(this.#returnUrl);
    url.searchParams.set('order_id', orderId);
    url.searchParams.set('outcome', outcome);
    return url.href;
  }

  /** Stripe's own messages may quote keys, so only their kind is logged. */
  async #callStripe<T>(what: string, request: () => Promise<T>): Promise<T> {
    try {
      return await request();
    } catch (cause) {
      const { type = 'unknown', code = 'none' } = cause as { type?: string; code?: string };
      this.#options.log.warn('payment provider unavailable', { what, type, code });
      throw new ServiceError('payment_provider_unavailable', 'The payment provider does not respond.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      });
    }
  }
}
