/** The smoke test's calls, over HTTP. */
import { CheckFailure } from '../../core/smoke-test/check.ts';
import {
  errorOf,
  type SmokeClient,
  type SmokeRequest,
  type SmokeResponse,
} from '../../core/smoke-test/client.ts';
import type { StoredSmokeAccess } from './access.ts';

/** The address of each API, without a slash at the end. Both are the same if one hostname serves both. */
export interface SmokeAddresses {
  readonly inference: string;
  readonly platform: string;
}

/**
 * Returns a function that opens a client with the key that was stored last. Its result is undefined while there is no
 * key.
 */
export const openSmokeClient =
  ({ read }: Pick<StoredSmokeAccess, 'read'>, timeoutMs: number) =>
  async (): Promise<SmokeClient | undefined> => {
    const access = await read();
    return access && new HttpClient(access, access.key, timeoutMs);
  };

/** A cold function, a slow model and one repetition of the connection fit in it. */
const TIMEOUT_MS = 120_000;

export class HttpClient implements SmokeClient {
  readonly #addresses: SmokeAddresses;
  readonly #key: string;
  readonly #timeoutMs: number;

  constructor(addresses: SmokeAddresses, key: string, timeoutMs = TIMEOUT_MS) {
    this.#addresses = addresses;
    this.#key = key;
    this.#timeoutMs = timeoutMs;
  }

  inference(path: string, request: SmokeRequest = {}): Promise<SmokeResponse> {
    return this.#call(`${this.#addresses.inference}${path}`, request);
  }

  platform(path: string, request: SmokeRequest = {}): Promise<SmokeResponse> {
    return this.#call(`${this.#addresses.platform}${path}`, request);
  }

  /** Throws `CheckFailure` for an error of the service, and if it does not respond. */
  async #call(url: string, { json, form, method, minTimeoutMs = 0 }: SmokeRequest): Promise<SmokeResponse> {
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
        signal: AbortSignal.timeout(Math.max(this.#timeoutMs, minTimeoutMs)),
      });
      bytes = Buffer.from(await response.arrayBuffer());
    } catch (failure) {
      throw new CheckFailure('no_answer', `${new URL(url).host} gave no response: ${reasonOf(failure)}`);
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
    throw new CheckFailure('unexpected', 'the response is not the JSON that its content type declares');
  }
};

/**
 * Returns the failure in a response. Both envelopes have `error`; a response from a component before the service may
 * have none.
 */
function errorIn({ status, headers }: Response, text: string): CheckFailure {
  const failure = errorOf(text);
  if (failure !== undefined) return failure;
  const id = headers.get('x-request-id') ?? headers.get('x-amzn-requestid');
  return new CheckFailure(
    `http_${status}`,
    `a response without an error in it${id ? `, request ${id}` : ''}`,
  );
}
