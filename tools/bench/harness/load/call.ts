/** One call of the load: when its first content came, when its last byte, and whether it was a whole answer. */
import type { Pool } from 'undici';
import { FIRST_TEXT } from '../upstream/answers.ts';

export interface LoadRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** The end of a complete response; a response without it is a failure. */
  readonly end: string;
}

export interface LoadedCall {
  /** From `sinceMs` to the first content. */
  readonly firstMs: number;
  /** From `sinceMs` to the last byte. */
  readonly totalMs: number;
}

/** Longer than any end of an answer, and than the white space after it. */
const TAIL_BYTES = 4_096;

/** Rejects unless the answer is 200, has content and is whole. Times count from `sinceMs` (`performance.now()`). */
export async function callOnce(pool: Pool, request: LoadRequest, sinceMs: number): Promise<LoadedCall> {
  const { path, headers, body, end } = request;
  const { statusCode, body: responseBody } = await pool.request({ path, method: 'POST', headers, body });
  if (statusCode !== 200) throw new Error(`${path}: ${statusCode} ${await responseBody.text()}`);
  let firstMs = 0;
  let tail = '';
  for await (const fragment of responseBody as AsyncIterable<Buffer>) {
    if (firstMs === 0 && fragment.includes(FIRST_TEXT)) firstMs = performance.now();
    tail = (tail + fragment.toString('latin1', Math.max(0, fragment.length - TAIL_BYTES))).slice(-TAIL_BYTES);
  }
  const endedMs = performance.now();
  if (firstMs === 0 || !tail.includes(end))
    throw new Error(`${path}: an answer was cut: ${tail.slice(-200)}`);
  return { firstMs: firstMs - sinceMs, totalMs: endedMs - sinceMs };
}
