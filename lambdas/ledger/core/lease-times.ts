/**
 * The times of leases. A lease admits calls in one UTC minute, so that no window ends in it. Its end is followed by three
 * periods: its calls end and are recorded (until the fence), then requests that were signed before lose their validity
 * (until the expiry), then any process may recover it.
 */
import { encodeTime } from 'ulid';
import { type Windows, windowsAt } from '../../access/core/keys/windows.ts';

export const MINUTE_MS = 60_000;

/** The interval of writes. Two of them and a round trip are under 2 s, after which unused credit is back. */
export const TICK_MS = 750;

/** The longest time for which a key's item admits calls from memory: a revoked key admits none after it. */
export const FRESH_MS = 1_000;

/** A lease without a call for as long returns what is unused, and closes. */
export const IDLE_MS = 1_000;

/** The time in which every other lease returns what it does not use: two ticks and a round trip. */
export const RETURN_MS = 1_600;

/** Request ids up to as old are admitted by the lease of a minute; calls with a slower upload take a hold. */
const EARLY_MS = 5_000;

/** DynamoDB rejects a signature that is older (Amazon DynamoDB low-level API, request signatures). */
const SIGNATURE_MS = 300_000;

/** The most that a recovering process's clock may be ahead. */
const CLOCK_MS = 180_000;

/** For the last call's record to be repeated. */
const SPARE_MS = 60_000;

export interface LeaseTimes {
  /** From the first call to the end of admissions, ms; at most until the end of the minute. */
  readonly admitMs: number;
  /** From the end of admissions to the fence, ms: the longest call, and its record. */
  readonly recordMs: number;
  /** From the fence to the expiry, ms. */
  readonly marginMs: number;
}

/** The times for calls of that length. If holds expire before a call can end, as in a test, leases expire as soon. */
export function leaseTimes(longestCallSeconds: number, holdTtlSeconds: number): LeaseTimes {
  const ttlMs = holdTtlSeconds * 1000;
  if (holdTtlSeconds <= longestCallSeconds)
    return { admitMs: ttlMs / 3, recordMs: ttlMs / 3, marginMs: ttlMs / 3 };
  return {
    admitMs: MINUTE_MS,
    recordMs: longestCallSeconds * 1000 + SPARE_MS,
    marginMs: SIGNATURE_MS + CLOCK_MS,
  };
}

/** The clock may be set back by as much without the end of a lease. */
const BACKWARD_MS = 50;

/** The times of one lease. */
export class LeaseSpan {
  readonly windows: Windows;
  /** After it the process may sign no record of the lease. */
  readonly fenceMs: number;
  /** Seconds since the epoch. */
  readonly expires: number;
  readonly #startMs: number;
  readonly #endMs: number;
  readonly #range: { readonly from: string; readonly to: string };

  /** `nowMs` is in the minute that starts at `startMs`. */
  constructor(startMs: number, nowMs: number, { admitMs, recordMs, marginMs }: LeaseTimes) {
    this.windows = windowsAt(startMs);
    this.#endMs = Math.min(startMs + MINUTE_MS, nowMs + admitMs);
    this.fenceMs = this.#endMs + recordMs;
    this.expires = Math.ceil((this.fenceMs + marginMs) / 1000);
    this.#startMs = startMs;
    this.#range = requestRange(startMs);
  }

  /** Returns whether calls are admitted: the end has not come, and the clock of the process has not been set back. */
  includes(nowMs: number): boolean {
    return nowMs < this.#endMs && nowMs >= this.#startMs - BACKWARD_MS;
  }

  /** Returns whether recovery would read the call's record among those of the lease. */
  covers(requestId: string): boolean {
    return requestId >= this.#range.from && requestId < this.#range.to;
  }
}

/** The range of request ids that the lease of a minute admits. The end is exclusive. */
export function requestRange(startMs: number): { readonly from: string; readonly to: string } {
  return { from: `req_${encodeTime(startMs - EARLY_MS)}`, to: `req_${encodeTime(startMs + MINUTE_MS)}` };
}

/** The start of the minute of a time. */
export const minuteOf = (ms: number): number => ms - (ms % MINUTE_MS);
