/** An account's owner, signed in: what a console does for them. */
import { until } from '../../tools/test-kit/waiting.ts';
import type { Service } from './service.ts';

export interface CreatedKey {
  readonly id: string;
  readonly key: string;
}

export interface CreatedOrder {
  readonly order_id: string;
  readonly checkout_url: string;
}

export class Owner {
  readonly #service: Service;
  readonly session: string;
  /** The account; empty if the session is of a person who signed in. */
  readonly id: string;

  constructor(service: Service, session: string, id = '') {
    this.#service = service;
    this.session = session;
    this.id = id;
  }

  /** The owner of a new account. */
  static async open(service: Service, ...options: readonly string[]): Promise<Owner> {
    const words = ['account', 'create', ...options];
    const created = await service.admin<{ account_id: string; session_token: string }>(...words);
    return new Owner(service, created.session_token, created.account_id);
  }

  fetch(path: string, init: RequestInit = {}): Promise<Response> {
    return this.#service.fetch(path, { ...init, key: this.session });
  }

  send(method: string, path: string, body?: object): Promise<Response> {
    const json = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
    return this.fetch(path, { method, ...(body === undefined ? {} : json) });
  }

  async json<T = Record<string, unknown>>(path: string): Promise<T> {
    const response = await this.fetch(path);
    if (!response.ok) throw new Error(`${path} was answered with ${response.status}`);
    return (await response.json()) as T;
  }

  async createKey(fields: object): Promise<CreatedKey> {
    const response = await this.send('POST', '/api-keys', fields);
    if (response.status !== 201) throw new Error(`no key was made: ${await response.text()}`);
    return (await response.json()) as CreatedKey;
  }

  async order(amount: number): Promise<CreatedOrder> {
    const response = await this.send('POST', '/api/create-order', { amount, currency: 'USD' });
    if (response.status !== 201) throw new Error(`no order was made: ${await response.text()}`);
    return (await response.json()) as CreatedOrder;
  }

  /** Lists an app, which `buyer` purchases for that number of cents. */
  async sellTo(buyer: Owner, amount: number): Promise<void> {
    const price = { amount, currency: 'USD' };
    const fields = { name: `Sold by ${this.id}`, summary: 'One.', category: 'tools', price };
    const { id } = (await (await this.send('POST', '/apps', fields)).json()) as { readonly id: string };
    const bought = await buyer.send('POST', `/apps/${id}/purchase`, price);
    if (bought.status !== 201) throw new Error(`nothing was bought: ${await bought.text()}`);
  }

  /** Orders credit, pays for it on the checkout's page, and waits until it is there. */
  async buy(amount: number): Promise<CreatedOrder> {
    const order = await this.order(amount);
    await fetch(order.checkout_url, { method: 'POST', redirect: 'manual' });
    await until(
      () => this.json(`/api/orders/${order.order_id}`),
      ({ status }) => status === 'paid',
    );
    return order;
  }
}
