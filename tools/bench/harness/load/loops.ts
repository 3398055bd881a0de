/** The two kinds of load: callers that each wait for their answer, and calls that begin when they are due, whatever happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';

export interface LoadMeasurement<Call> {
  readonly calls: readonly Call[];
  /** From the first call's start to the last one's end. */
  readonly seconds: number;
}

const LONGEST_CALL_MS = 180_000;

/** Does the work over a separate pool of connections to the server. */
export async function overPool<T>(
  url: string,
  connections: number,
  work: (pool: Pool) => Promise<T>,
): Promise<T> {
  const timeouts = { bodyTimeout: LONGEST_CALL_MS, headersTimeout: LONGEST_CALL_MS };
  const pool = new Pool(url, { connections, pipelining: 1, ...timeouts });
  try {
    return await work(pool);
  } finally {
    await pool.destroy();
  }
}

/** `callers` at a time, each call begun when the one before it has ended, as long as there `isMore` to do. */
export async function closedLoop<Call>(
  callers: number,
  isMore: (elapsedMs: number) => boolean,
  call: () => Promise<Call>,
): Promise<LoadMeasurement<Call>> {
  const calls: Call[] = [];
  const startedMs = performance.now();
  const caller = async () => {
    while (isMore(performance.now() - startedMs)) calls.push(await call());
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { calls, seconds: (performance.now() - startedMs) / 1000 };
}

/**
 * Each call begun when it is due, in ms from now, and given that time (`performance.now()`): a service that falls behind
 * is charged with the wait, which callers that wait for their answers would hide.
 */
export async function openLoop<Call>(
  dueMs: Iterable<number>,
  call: (sinceMs: number) => Promise<Call>,
): Promise<LoadMeasurement<Call>> {
  const running: Promise<Call>[] = [];
  const startedMs = performance.now();
  for (const offsetMs of dueMs) {
    const waitMs = startedMs + offsetMs - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    running.push(call(startedMs + offsetMs));
  }
  const calls = await Promise.all(running);
  return { calls, seconds: (performance.now() - startedMs) / 1000 };
}

/** The times of calls at an even rate. */
export const evenly = (count: number, perSecond: number): number[] =>
  Array.from({ length: count }, (_, at) => (at * 1000) / perSecond);
