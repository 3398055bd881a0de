/** Stripe's own library with the key of the operator's secret. */
import Stripe from 'stripe';
import { requireVariable, VARIABLES } from '../../platform/contract/environment.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { Clock, Log, SecretReader } from '../../platform/core/ports.ts';

/** A person waits for the checkout; Lambda's limit is 28 s, and the library sends the request twice. */
const REQUEST_MS = 8_000;
const RETRIES = 1;

const RETRY_AFTER_SECONDS = 5;

/** The value in the secret until the operator has stored another. */
const NOT_STORED = 'none';

export interface StripeOptions {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly readSecret: SecretReader;
  readonly clock: Clock;
  readonly log: Log;
}

export class StripeApi {
  readonly #options: StripeOptions;
  readonly #secretId: string;
  readonly #apiUrl: URL;
  #client: { readonly key: string; readonly stripe: Stripe } | undefined;

  constructor(options: StripeOptions) {
    const { environment } = options;
    this.#options = options;
    this.#secretId = requireVariable(environment, VARIABLES.paymentSecret);
    this.#apiUrl = new URL(requireVariable(environment, VARIABLES.paymentApiUrl));
  }

  /** Returns a field of the operator's secret. */
  secret(field: 'api_key' | 'webhook_secret'): Promise<string> {
    return this.#read(field);
  }

  /** Returns the secret of the endpoint for connected accounts; undefined until the operator has stored it. */
  async connectSecret(): Promise<string | undefined> {
    const secret = await this.#read('connect_webhook_secret').catch(() => NOT_STORED);
    return secret === NOT_STORED ? undefined : secret;
  }

  #read(field: string): Promise<string> {
    return this.#options.readSecret(`secretsmanager:${this.#secretId}#${field}`);
  }

  /**
   * Sends requests; throws 503 `payment_provider_unavailable`, also while the secret cannot be read: an update that turns
   * payouts off takes it from functions that still run. Stripe's own messages may quote keys, so only their kind is logged.
   */
  async call<T>(what: string, request: (stripe: Stripe) => Promise<T>): Promise<T> {
    try {
      return await request(await this.#connect());
    } catch (cause) {
      const { name, type = name, code = 'none' } = cause as Error & { type?: string; code?: string };
      this.#options.log.warn('payment provider unavailable', { what, type, code });
      throw new ServiceError('payment_provider_unavailable', 'The payment provider does not respond.', {
        retryAfterSeconds: RETRY_AFTER_SECONDS,
        cause,
      });
    }
  }

  async #connect(): Promise<Stripe> {
    const key = await this.secret('api_key');
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
}
