/** Events as Stripe sends them, signed by Stripe's own library, and the one question its API is asked about them. */
import Stripe from 'stripe';
import { WireServer } from '../../platform/testing/connections/wire-server.ts';

export const WEBHOOK_SECRET = 'whsec_of_this_test';
export const API_KEY = 'sk_test_of_this_test';

const stripe = new Stripe(API_KEY);

export interface SignedEvent {
  readonly body: string;
  readonly signature: string;
}

let createdCount = 0;

/** Returns a signed event about an object. */
export function signedEvent(
  type: string,
  object: object,
  secret = WEBHOOK_SECRET,
  timestamp?: number,
): SignedEvent {
  createdCount += 1;
  const created = Math.floor(Date.now() / 1000);
  const payload = JSON.stringify({
    id: `evt_${createdCount}`,
    object: 'event',
    api_version: '2026-01-01',
    created,
    type,
    data: { object },
    livemode: false,
    pending_webhooks: 1,
    request: null,
  });
  const signature = stripe.webhooks.generateTestHeaderString({
    payload,
    secret,
    ...(timestamp === undefined ? {} : { timestamp }),
  });
  return { body: payload, signature };
}

/** Stripe's API as far as events are read: payments by their id, with the metadata of their order. */
export class PaymentIntents {
  readonly metadata = new Map<string, Readonly<Record<string, string>>>();
  readonly #server = new WireServer();

  async start(): Promise<string> {
    this.#server.respond = (response, { path }) => {
      const id = /^\/v1\/payment_intents\/(\w+)$/.exec(path)?.[1] ?? '';
      const metadata = this.metadata.get(id);
      response.writeHead(metadata === undefined ? 404 : 200, { 'content-type': 'application/json' });
      response.end(
        JSON.stringify(
          metadata === undefined
            ? { error: { type: 'invalid_request_error', message: 'No such payment_intent' } }
            : { id, object: 'payment_intent', metadata },
        ),
      );
    };
    await this.#server.start();
    return this.#server.origin;
  }

  stop(): Promise<void> {
    return this.#server.stop();
  }
}
