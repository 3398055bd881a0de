/** Calls of the service as a caller makes them, with one key. */
import { CheckFailure } from './check.ts';

/** An answer that is no error, read whole. */
export interface SmokeAnswer {
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
}

/** Both throw `CheckFailure` for an error of the service, and where it does not answer. */
export interface SmokeClient {
  inference(path: string, sent?: SmokeRequest): Promise<SmokeAnswer>;
  platform(path: string, sent?: SmokeRequest): Promise<SmokeAnswer>;
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
