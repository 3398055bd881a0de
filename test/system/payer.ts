/** An account of its own at the running service, and what it has left. */
import type OpenAI from 'openai';
import type { Service } from './service.ts';

export class Payer {
  readonly #service: Service;
  readonly key: string;

  private constructor(service: Service, key: string) {
    this.#service = service;
    this.key = key;
  }

  static async open(service: Service, credits: string, policy: object = {}): Promise<Payer> {
    return new Payer(service, (await service.account(credits, policy)).key);
  }

  get client(): OpenAI {
    return this.#service.openai(this.key);
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    return this.#service.fetch(path, {
      method: 'POST',
      key: this.key,
      body: body instanceof FormData ? body : JSON.stringify(body),
      headers: body instanceof FormData ? headers : { 'content-type': 'application/json', ...headers },
    });
  }

  /** Nano-dollars. */
  async wallet(): Promise<{ readonly balance: number; readonly held: number }> {
    const response = await this.#service.fetch(`/credits/${this.key}`, { key: this.key });
    const { balance, held } = (await response.json()) as { balance: number; held: number };
    return { balance: Math.round(balance * 1e9), held: Math.round(held * 1e9) };
  }

  /** The record of the call that was answered so. */
  async record({ headers }: Pick<Response, 'headers'>): Promise<Record<string, unknown>> {
    const path = `/v1/usage/${headers.get('x-request-id')}`;
    const response = await this.#service.fetch(path, { key: this.key });
    return (await response.json()) as Record<string, unknown>;
  }

  /** Lets requests go on that a fault has wait. */
  async endFaults(): Promise<void> {
    await fetch(`${this.#service.session.upstream_control_url}/faults`, { method: 'DELETE' });
  }

  /** The next request to the simulated upstream goes wrong in this way. */
  async fault(fault: object, match: object = {}): Promise<void> {
    await fetch(`${this.#service.session.upstream_control_url}/faults`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ fault, match }),
    });
  }
}

/** A header of money in nano-dollars. */
export const nano = ({ headers }: Pick<Response, 'headers'>, name: string): number =>
  Math.round(Number(headers.get(name)) * 1e9);
