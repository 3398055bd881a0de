/** An account of its own at the running service, and what it has left. */
import type Anthropic from '@anthropic-ai/sdk';
import { beforeAll } from '@jest/globals';
import type OpenAI from 'openai';
import { until } from '../../tools/test-kit/waiting.ts';
import type { Service } from './service.ts';

interface WalletAmounts {
  readonly balance: number;
  readonly held: number;
}

export class Payer {
  readonly #service: Service;
  id = '';
  key = '';

  private constructor(service: Service) {
    this.#service = service;
  }

  static async open(service: Service, credits: string, policy: object = {}): Promise<Payer> {
    return Object.assign(new Payer(service), await service.account(credits, policy));
  }

  /** One for all tests of a file, opened before the first of them. */
  static ofTests(service: Service, credits: string): Payer {
    const payer = new Payer(service);
    beforeAll(async () => {
      Object.assign(payer, await service.account(credits));
    });
    return payer;
  }

  get client(): OpenAI {
    return this.#service.openai(this.key);
  }

  get anthropic(): Anthropic {
    return this.#service.anthropic(this.key);
  }

  post(path: string, body: object, headers: Record<string, string> = {}): Promise<Response> {
    const { key } = this;
    if (body instanceof FormData) return this.#service.fetch(path, { method: 'POST', key, body, headers });
    return this.#service.post(path, body, { key, headers });
  }

  /** Nano-dollars. A shared host holds credit for up to two seconds after the last call: there the result is what it is then. */
  wallet(): Promise<WalletAmounts> {
    const read = () => this.#read();
    return this.#service.isHost ? until(read, ({ held }) => held === 0) : read();
  }

  async #read(): Promise<WalletAmounts> {
    const response = await this.#service.fetch(`/credits/${this.key}`, { key: this.key });
    const { balance, held } = (await response.json()) as { balance: number; held: number };
    return { balance: Math.round(balance * 1e9), held: Math.round(held * 1e9) };
  }

  /** The record of the call that was answered so. */
  async record<T = Record<string, unknown>>({ headers }: Pick<Response, 'headers'>): Promise<T> {
    const path = `/v1/usage/${headers.get('x-request-id')}`;
    const response = await this.#service.fetch(path, { key: this.key });
    return (await response.json()) as T;
  }
}

/** A header of money in nano-dollars. */
export const nano = ({ headers }: Pick<Response, 'headers'>, name: string): number =>
  Math.round(Number(headers.get(name)) * 1e9);

/** Returns the status and the error of a rejected request. */
export async function errorOf(response: Response) {
  const { error } = (await response.json()) as {
    error: { type: string; code?: string; param?: string | null; message: string };
  };
  return { status: response.status, ...error };
}
