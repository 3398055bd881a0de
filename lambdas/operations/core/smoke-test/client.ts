/** Calls of the service as a caller makes them, with one key. */
import { CheckFailure } from './check.ts';

/** A complete response without an error. */
export interface SmokeResponse {
  readonly bytes: Uint8Array;
  readonly headers: Headers;
  /** Throws for what is no JSON. */
  readonly json: unknown;
  readonly text: string;
}

export interface SmokeRequest {
  readonly method?: string;
  readonly json?: object;
  readonly form?: FormData;
  /** A call that takes longer than others may wait as long. */
  readonly minTimeoutMs?: number;
}

/** Both throw `CheckFailure` for an error of the service, and if it does not respond. */
export interface SmokeClient {
  inference(path: string, request?: SmokeRequest): Promise<SmokeResponse>;
  platform(path: string, request?: SmokeRequest): Promise<SmokeResponse>;
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
