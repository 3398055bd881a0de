/** Access of one account that exists before a restore and is taken away after the restored time, and a payment of it. */
import { PutSecretValueCommand, SecretsManagerClient } from '@aws-sdk/client-secrets-manager';
import { ulid } from 'ulid';
import { signedEvent } from '../../lambdas/payments/testing/stripe-events.ts';
import type { Deployment } from './deployment.ts';
import type { Emulator } from './emulator.ts';

interface Urls {
  readonly inferenceUrl: string;
  readonly platformUrl: string;
}

interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

type Keys = Readonly<Record<'revoked' | 'rotated' | 'limited', CreatedKey>>;

const WEBHOOK_SECRET = 'whsec_of_the_ring';
/** USD cents. */
const PAID = 700;

const json = (method: string, credential: string, body: object = {}): RequestInit => ({
  method,
  headers: { authorization: `Bearer ${credential}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

export class Access {
  readonly account: string;
  readonly #deployment: Deployment;
  readonly #urls: Urls;
  readonly #session: string;
  readonly #keys: Keys;
  #newSecret = '';

  private constructor(
    deployment: Deployment,
    urls: Urls,
    owner: { readonly account: string; readonly session: string },
    keys: Keys,
  ) {
    this.#deployment = deployment;
    this.#urls = urls;
    this.account = owner.account;
    this.#session = owner.session;
    this.#keys = keys;
  }

  static async create(deployment: Deployment, urls: Urls): Promise<Access> {
    const created = await deployment.admin<{ account_id: string; session_token: string }>(
      'account',
      'create',
    );
    const owner = { account: created.account_id, session: created.session_token };
    const key = () =>
      deployment.admin<CreatedKey & Record<string, unknown>>('key', 'create', '--account', owner.account);
    const keys = { revoked: await key(), rotated: await key(), limited: await key() };
    return new Access(deployment, urls, owner, keys);
  }

  /** Revokes, rotates and limits a key, and signs out. */
  async takeAway(): Promise<void> {
    const { revoked, rotated, limited } = this.#keys;
    await this.#owner('DELETE', `/api-keys/${revoked.id}`);
    const response = await this.#owner('POST', `/api-keys/${rotated.id}/rotate`, { overlap_seconds: 0 });
    this.#newSecret = ((await response.json()) as CreatedKey).key;
    const policy = JSON.stringify({ allowed_models: ['sim/image'] });
    await this.#deployment.admin('key', 'policy', '--key', limited.id, '--policy', policy);
    await this.#owner('POST', '/api/v1/auth/sign-out');
  }

  chat(key: string): Promise<Response> {
    const messages = [{ role: 'user', content: 'Repeat exactly: here' }];
    return fetch(
      `${this.#urls.inferenceUrl}/v1/chat/completions`,
      json('POST', key, { model: 'sim/chat', messages, max_tokens: 8 }),
    );
  }

  createKey(): Promise<Response> {
    return fetch(`${this.#urls.platformUrl}/api-keys`, json('POST', this.#session, { name: 'k' }));
  }

  /** The statuses that each credential receives. */
  async statuses(): Promise<Readonly<Record<string, number>>> {
    const { revoked, rotated, limited } = this.#keys;
    const usage = async (key: string) =>
      (await fetch(`${this.#urls.inferenceUrl}/v1/usage`, { headers: { authorization: `Bearer ${key}` } }))
        .status;
    return {
      revoked: await usage(revoked.key),
      rotatedAway: await usage(rotated.key),
      rotated: await usage(this.#newSecret),
      limited: (await this.chat(limited.key)).status,
      signedOut: (await this.createKey()).status,
    };
  }

  /** Stores the payment provider's secret. Returns a function that delivers the same signed event of a payment of 7 USD. */
  async paymentEvent(emulator: Emulator): Promise<() => Promise<Response>> {
    const secrets = new SecretsManagerClient(emulator.client);
    const { PAYMENTSECRET: id } = await this.#deployment.outputs('data');
    const value = JSON.stringify({ api_key: 'sk_test_of_the_ring', webhook_secret: WEBHOOK_SECRET });
    await secrets.send(new PutSecretValueCommand({ SecretId: id, SecretString: value }));
    secrets.destroy();
    const session = {
      id: 'cs_1',
      object: 'checkout.session',
      amount_total: PAID,
      currency: 'usd',
      payment_status: 'paid',
      payment_intent: 'pi_1',
      metadata: { order_id: `ord_${ulid()}`, account_id: this.account },
    };
    const { body, signature } = signedEvent('checkout.session.completed', session, WEBHOOK_SECRET);
    const headers = { 'content-type': 'application/json', 'stripe-signature': signature };
    return () =>
      fetch(`${this.#urls.platformUrl}/api/payments/stripe/events`, { method: 'POST', headers, body });
  }

  async #owner(method: string, path: string, body: object = {}): Promise<Response> {
    const response = await fetch(`${this.#urls.platformUrl}${path}`, json(method, this.#session, body));
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response;
  }
}
