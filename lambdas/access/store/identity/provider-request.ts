/**
 * Requests to identity providers: bounded in time and size, and never redirected to an address that is not configured.
 */
import { providerUnavailable } from './identity-errors.ts';

/** A person waits for the response; a provider that takes longer counts as down. */
export const PROVIDER_TIMEOUT_MS = 4_000;

/** Discovery documents and token responses have a few kilobytes. */
const MAX_RESPONSE_BYTES = 64 * 1024;

export interface ProviderResponse {
  readonly status: number;
  /** The body; undefined if it is not JSON. */
  readonly body: unknown;
}

/**
 * Throws 503 `identity_provider_unavailable` if there is no complete response. The cause contains nothing of either
 * body.
 */
export async function fetchFromProvider(
  fetch: typeof globalThis.fetch,
  url: string,
  init: RequestInit = {},
): Promise<ProviderResponse> {
  try {
    const signal = AbortSignal.timeout(PROVIDER_TIMEOUT_MS);
    const response = await fetch(url, { ...init, redirect: 'error', signal });
    return { status: response.status, body: parse(await boundedText(response)) };
  } catch (cause) {
    throw providerUnavailable(cause);
  }
}

async function boundedText(response: Response): Promise<string> {
  const buffers: Uint8Array[] = [];
  let bytes = 0;
  // Leaving the loop cancels the rest.
  for await (const buffer of response.body ?? []) {
    bytes += buffer.length;
    if (bytes > MAX_RESPONSE_BYTES) throw new Error('the response is too long');
    buffers.push(buffer);
  }
  return Buffer.concat(buffers).toString();
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
