/** The times of a call, ms since the epoch, as far as its record states them. */
import { decodeTime } from 'ulid';
import type { UsageRecord } from '../../ledger/core/usage-record.ts';

export interface CallTimes {
  /** The arrival of the request. */
  readonly startMs: number;
  /** The times of attempts count from here. */
  readonly admittedMs: number;
  readonly endMs: number;
}

/** The request id has the millisecond of the arrival, and the record the second of the settlement. */
export function timesOf({ id, created, durationMs }: UsageRecord): CallTimes {
  const settledMs = created * 1_000;
  const arrivedMs = arrivalMs(id) ?? settledMs;
  const endMs = Math.min(Math.max(arrivedMs + (durationMs ?? 0), settledMs), settledMs + 999);
  const admittedMs = durationMs === undefined ? arrivedMs : endMs - durationMs;
  const startMs = Math.min(arrivedMs, admittedMs);
  return { startMs, admittedMs, endMs: Math.max(endMs, startMs) };
}

const PREFIX = 'req_';

/** Returns undefined for an id that does not state its time. */
function arrivalMs(id: string): number | undefined {
  try {
    return decodeTime(id.slice(PREFIX.length));
  } catch {
    return undefined;
  }
}
