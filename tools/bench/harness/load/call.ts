/** One call of the load: when its first content came, when its last byte, and whether it was a whole answer. */
import type { Pool } from 'undici';
import { FIRST_TEXT } from '../upstream/model-name.ts';

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The end of a complete response; a response without it is a failure. */
  readonly end: string;
}

export interface LoadedCall {
  /** From `sinceMs` to the first content; NaN without one. */
  readonly firstMs: number;
  /** From `sinceMs` to the last byte. */
  readonly totalMs: number;
  readonly requestId: string | undefined;
  /** The response had status 200, content, and its last event. */
  readonly isComplete: boolean;
}

/** Longer than any end of an answer, and than the white space after it. */
const TAIL_BYTES = 4_096;

/**
 * Makes a call, which counts from `sinceMs` (`performance.now()`). One that is cut off resolves with what came by then,
 * and tells the reason to `onFailure`.
 */
export async function call(
  pool: Pool,
  { path, headers, body, end }: LoadRequest,
  sinceMs: number,
  onFailure: (reason: Error) => void = () => {},
): Promise<LoadedCall> {
  let requestId: string | undefined;
  let [status, firstMs, tail] = [0, Number.NaN, ''];
  try {
    const response = await pool.request({ path, method: 'POST', headers, body });
    status = response.statusCode;
    requestId = String(response.headers['x-request-id']);
    for await (const fragment of response.body as AsyncIterable<Buffer>) {
      if (Number.isNaN(firstMs) && fragment.includes(FIRST_TEXT)) firstMs = performance.now() - sinceMs;
      const start = Math.max(0, fragment.length - TAIL_BYTES);
      tail = (tail + fragment.toString('latin1', start)).slice(-TAIL_BYTES);
    }
  } catch (failure) {
    onFailure(failure as Error);
  }
  const totalMs = performance.now() - sinceMs;
  const isComplete = status === 200 && !Number.isNaN(firstMs) && tail.includes(end);
  if (!isComplete) onFailure(new Error(`${path}: no whole answer: ${status} ${tail.slice(-200)}`));
  return { firstMs, totalMs, requestId, isComplete };
}

/** The same, but rejects unless the answer is whole. */
export const callOnce = (
  pool: Pool,
  request: LoadRequest,
  sinceMs = performance.now(),
): Promise<LoadedCall> =>
  call(pool, request, sinceMs, (reason) => {
    throw reason;
  });
