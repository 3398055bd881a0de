/** Sums over usage records: for each hour, model, kind and status, the calls, their units and their cost. */
import type { NanoUsd } from '../../money.ts';
import type { UsageRecord } from '../usage-record.ts';

export const HOUR_SECONDS = 3600;
export const DAY_HOURS = 24;

/** A usage record, as far as sums need it. */
export type SummedCall = Pick<
  UsageRecord,
  'id' | 'created' | 'model' | 'kind' | 'status' | 'inputUnits' | 'cachedUnits' | 'outputUnits' | 'cost'
>;

/** What calls come to. Units are whole, but for seconds. */
export interface Amounts {
  calls: number;
  inputUnits: number;
  cachedUnits: number;
  outputUnits: number;
  cost: NanoUsd;
}

export interface SumRow extends Amounts, Pick<UsageRecord, 'model' | 'kind' | 'status'> {
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

/** Adds `more` to `sum`, in place. */
export function addAmounts(sum: Amounts, more: Amounts): void {
  sum.calls += more.calls;
  sum.inputUnits += more.inputUnits;
  sum.cachedUnits += more.cachedUnits;
  sum.outputUnits += more.outputUnits;
  sum.cost += more.cost;
}

export const hourOf = (created: number): number => Math.floor(created / HOUR_SECONDS);
export const dayOfHour = (hour: number): number => Math.floor(hour / DAY_HOURS);

/** Rows of one key, by day and by what they are summed by. */
export class SumTable {
  readonly #days = new Map<number, Map<string, SumRow>>();

  add(call: SummedCall): void {
    const hour = hourOf(call.created);
    const { model, kind, status } = call;
    const rows = this.#days.get(dayOfHour(hour)) ?? new Map<string, SumRow>();
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

  rows(day: number): readonly SumRow[] {
    return [...(this.#days.get(day)?.values() ?? [])];
  }
}
