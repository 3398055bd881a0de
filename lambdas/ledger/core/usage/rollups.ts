/** Usage rollups: for each hour, model, kind and status, the calls, their units and their cost. */

import { decodeTime, encodeTime } from 'ulid';
import type { NanoUsd } from '../../../platform/core/money.ts';
import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import type { UsageRecord } from '../usage-record.ts';

export const HOUR_SECONDS = 3600;
export const DAY_HOURS = 24;

/** The fields of a usage record that rollups need. */
export type RollupCall = Pick<
  UsageRecord,
  'id' | 'created' | 'model' | 'kind' | 'status' | 'inputUnits' | 'cachedUnits' | 'outputUnits' | 'cost'
>;

/** The total amounts of calls. Units are whole numbers, except seconds. */
export interface Amounts {
  calls: number;
  inputUnits: number;
  cachedUnits: number;
  outputUnits: number;
  cost: NanoUsd;
}

export interface RollupRow extends Amounts, Pick<UsageRecord, 'model' | 'kind' | 'status'> {
  /** UTC hours since the epoch, by the records' `created`. */
  readonly hour: number;
}

export const noAmounts = (): Amounts => ({
  calls: 0,
  inputUnits: 0,
  cachedUnits: 0,
  outputUnits: 0,
  cost: 0n,
});

/** Adds `addend` to `sum`, in place. */
export function addAmounts(sum: Amounts, addend: Amounts): void {
  sum.calls += addend.calls;
  sum.inputUnits += addend.inputUnits;
  sum.cachedUnits += addend.cachedUnits;
  sum.outputUnits += addend.outputUnits;
  sum.cost += addend.cost;
}

export const hourOf = (created: number): number => Math.floor(created / HOUR_SECONDS);
export const dayOfHour = (hour: number): number => Math.floor(hour / DAY_HOURS);

/** Rows of one key, by day and by what they are rolled up by. */
export class RollupTable {
  readonly #days = new Map<number, Map<string, RollupRow>>();

  add(call: RollupCall): void {
    const hour = hourOf(call.created);
    const { model, kind, status } = call;
    const rows = this.#days.get(dayOfHour(hour)) ?? new Map<string, RollupRow>();
    this.#days.set(dayOfHour(hour), rows);
    const key = `${hour} ${kind} ${status} ${model ?? ''}`;
    const row = rows.get(key) ?? { hour, model, kind, status, ...noAmounts() };
    rows.set(key, row);
    addAmounts(row, { ...call, calls: 1 });
  }

  /** UTC days since the epoch that have rows, in order. */
  days(): readonly number[] {
    return [...this.#days.keys()].toSorted((a, b) => a - b);
  }

  rows(day: number): readonly RollupRow[] {
    return [...(this.#days.get(day)?.values() ?? [])];
  }
}

/** A request id of that time (ms) that sorts before all others of it. */
export const firstIdAt = (ms: number): string => requestIdAt(ms, '0');

/** A request id of that time (ms) that sorts after all others of it. */
export const lastIdAt = (ms: number): string => requestIdAt(ms, 'Z');

const requestIdAt = (ms: number, rest: '0' | 'Z'): string =>
  `req_${encodeTime(Math.max(0, Math.floor(ms)), 10)}${rest.repeat(16)}`;

/** Sorts after every request id. */
export const LAST_REQUEST_ID = `req_${'Z'.repeat(26)}`;

/** Returns the creation time of an id in milliseconds since the epoch, or 0 for an id without a time. */
export function timeOfId(id: string): number {
  const ulid = id.slice(id.indexOf('_') + 1);
  return ULID.test(ulid) ? decodeTime(ulid) : 0;
}

/** The first character has three bits only. */
const ULID = /^[0-7][0-9A-HJKMNP-TV-Z]{25}$/;

/**
 * The time after which any call is settled or recovered. It is 15 minutes for the upload, 15 for the response, 20 until
 * the hold expires and the sweeper runs, and as much again. A record's request id is therefore at most this much older
 * than the record.
 */
export const SETTLED_SECONDS = 7200;

/** Hours before this one (UTC, since the epoch) are closed. */
export const closedHour = (nowMs: number): number =>
  Math.floor((nowMs / 1000 - SETTLED_SECONDS - SKEW_SECONDS) / HOUR_SECONDS);

/** The last closed UTC day, since the epoch. */
export const closedDay = (nowMs: number): number => dayOfHour(closedHour(nowMs)) - 1;

/** The hour after the last one that records may have by now. */
export const endHour = (nowMs: number): number =>
  Math.floor((nowMs / 1000 + SKEW_SECONDS) / HOUR_SECONDS) + 1;
