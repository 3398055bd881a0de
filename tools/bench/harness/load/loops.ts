/** The two kinds of load: a number of callers that each wait for their answer, and a fixed rate of calls whatever happens. */
import { setTimeout as sleep } from 'node:timers/promises';
import { Pool } from 'undici';
import { callOnce, type LoadedCall, type LoadRequest } from './call.ts';

export interface Load {
  readonly url: string;
  /** The next request; called once a call. */
  readonly next: () => LoadRequest;
  readonly windowMs: number;
}

export interface LoadMeasurement {
  readonly calls: readonly LoadedCall[];
  /** From the first call's start to the last one's end. */
  readonly seconds: number;
}

const LONGEST_CALL_MS = 60_000;

const poolOf = (url: string, connections: number) =>
  new Pool(url, {
    connections,
    pipelining: 1,
    bodyTimeout: LONGEST_CALL_MS,
    headersTimeout: LONGEST_CALL_MS,
  });

/** `callers` at a time, each call begun when the one before it has ended. */
export async function closedLoop({ url, next, windowMs }: Load, callers: number): Promise<LoadMeasurement> {
  const pool = poolOf(url, callers);
  const calls: LoadedCall[] = [];
  const startedMs = performance.now();
  const caller = async () => {
    while (performance.now() - startedMs < windowMs) {
      calls.push(await callOnce(pool, next(), performance.now()));
    }
  };
  try {
    await Promise.all(Array.from({ length: callers }, caller));
    return { calls, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await pool.destroy();
  }
}

/** The maximum number of calls that overlap if a contestant falls behind. */
const MAX_OVERLAP = 256;

/**
 * A rate of calls, each begun when it is due and timed from then: a contestant that falls behind is charged
 * with the wait, which callers that wait for their answers would hide.
 */
export async function openLoop({ url, next, windowMs }: Load, perSecond: number): Promise<LoadMeasurement> {
  const pool = poolOf(url, MAX_OVERLAP);
  const startedMs = performance.now();
  const due = Array.from({ length: Math.floor((windowMs / 1000) * perSecond) }, (_, at) => {
    return startedMs + (at * 1000) / perSecond;
  });
  try {
    const running: Promise<LoadedCall>[] = [];
    for (const dueMs of due) {
      const waitMs = dueMs - performance.now();
      if (waitMs > 0) await sleep(waitMs);
      running.push(callOnce(pool, next(), dueMs));
    }
    const calls = await Promise.all(running);
    return { calls, seconds: (performance.now() - startedMs) / 1000 };
  } finally {
    await pool.destroy();
  }
}
