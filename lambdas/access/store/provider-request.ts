/** Requests to identity providers: bounded in time and size, and never redirected to an address that nobody configured. */
import { providerUnavailable } from './identity-errors.ts';

/** Somebody waits for the answer; a provider that takes longer is down. */
export const PROVIDER_TIMEOUT_MS = 4_000;

/** Discovery documents and token responses have a few kilobytes. */
const MAX_ANSWER_BYTES = 64 * 1024;

export interface ProviderAnswer {
  readonly status: number;
  /** The body, as JSON. */
  readonly body: unknown;
}

/** Throws 503 `identity_provider_unavailable` when there is no whole answer in JSON; the cause holds nothing of either body. */
export async function askProvider(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit = {},
): Promise<ProviderAnswer> {
  try {
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: 'error', signal });
    return { status: response.status, body: parse(await boundedText(response)) };
  } catch (cause) {
    throw providerUnavailable(cause);
  }
}

async function boundedText(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_ANSWER_BYTES) throw new Error('the answer is too long');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

/** A parser's own message would quote the body. */
function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw new Error('the answer is not JSON');
  }
}
