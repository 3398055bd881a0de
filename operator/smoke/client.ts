/** Calls of the service as a caller makes them, over HTTP and with one key. */
import type { Addresses } from '../addresses.ts';
import { CheckFailure } from './check.ts';

/** An answer that is no error, read whole. */
export interface Answer {
  readonly bytes: Buffer;
  readonly headers: Headers;
  /** Throws for what is no JSON. */
  readonly json: unknown;
  readonly text: string;
}

export interface Sent {
  readonly method?: string;
  readonly json?: object;
  readonly form?: FormData;
}

/** A cold function, a slow model and one repetition of the connection fit in it. */
const TIMEOUT_MS = 120_000;

export class Client {
  readonly addresses: Addresses;
  readonly #key: string;

  constructor(addresses: Addresses, key: string) {
    this.addresses = addresses;
    this.#key = key;
  }

  inference(path: string, sent: Sent = {}): Promise<Answer> {
    return this.#call(`${this.addresses.inference}${path}`, sent);
  }

  platform(path: string, sent: Sent = {}): Promise<Answer> {
    return this.#call(`${this.addresses.platform}${path}`, sent);
  }

  /** Throws `CheckFailure` for an error of the service, and where it does not answer. */
  async #call(url: string, { json, form, method }: Sent): Promise<Answer> {
    let response: Response;
    let bytes: Buffer;
    try {
      response = await fetch(url, {
        method: method ?? (json === undefined && form === undefined ? 'GET' : 'POST'),
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(form === undefined ? {} : { body: form }),
        redirect: 'error',
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      bytes = Buffer.from(await response.arrayBuffer());
    } catch (failure) {
      throw new CheckFailure('no_answer', `${new URL(url).host} gave no answer: ${reasonOf(failure)}`);
    }
    const text = bytes.toString();
    if (!response.ok) throw errorIn(response, text);
    return { bytes, text, headers: response.headers, json: readJson(response.headers, text) };
  }
}

function reasonOf(failure: unknown): string {
  const { message, cause } = failure as Error;
  return cause instanceof Error ? `${message} (${cause.message})` : message;
}

const readJson = (headers: Headers, text: string): unknown => {
  if (headers.get('content-type')?.includes('json') !== true) return undefined;
  try {
    return JSON.parse(text);
  } catch {
    throw new CheckFailure('unexpected', 'the answer is not the JSON that it says it is');
  }
};

/** Both envelopes have `error`; what is answered by something before the service may have none. */
function errorIn({ status, headers }: Response, text: string): CheckFailure {
  const failure = errorOf(text);
  if (failure !== undefined) return failure;
  const id = headers.get('x-request-id') ?? headers.get('x-amzn-requestid');
  return new CheckFailure(`http_${status}`, `an answer without an error in it${id ? `, request ${id}` : ''}`);
}

/** The error that a text is the envelope of; undefined when it is not one. */
export function errorOf(text: string): CheckFailure | undefined {
  let error: { code?: unknown; type?: unknown; message?: unknown } | undefined;
  try {
    error = (JSON.parse(text) as { error?: typeof error }).error;
  } catch {
    return undefined;
  }
  if (error === undefined || error === null) return undefined;
  return new CheckFailure(String(error.code ?? error.type ?? 'unexpected'), String(error.message ?? ''));
}
