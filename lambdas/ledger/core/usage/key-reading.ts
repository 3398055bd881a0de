/** Reads the records of one key. Rows of closed hours are stored during the read, later ones are only returned. */

import { SKEW_SECONDS } from '../../../platform/core/ports.ts';
import type { CallPages, KeyDay, RollupStore } from './ports.ts';
import {
  DAY_HOURS,
  firstIdAt,
  HOUR_SECONDS,
  hourOf,
  lastIdAt,
  type RollupRow,
  RollupTable,
  SETTLED_SECONDS,
  timeOfId,
} from './rollups.ts';

/** The approximate number of records on a page, which DynamoDB ends after 1 MB. */
const PAGE_RECORDS = 2_000;

/** The cost of a query without a result, in records: about as much as reading 100. */
const QUERY_RECORDS = 100;

/** Pages of records that one request reads: with 16 at a time, within a few seconds. */
export const MAX_PAGES = 64;

/** The number of records that may still be read. Each query counts as at least 100 records. */
export class ReadingBudget {
  /** The number of records that were read. */
  read = 0;
  readonly #late: () => boolean;
  #remaining: number;

  /** At most `pages` pages, and none once it is `late`. */
  constructor(pages: number, late: () => boolean = () => false) {
    this.#remaining = pages * PAGE_RECORDS;
    this.#late = late;
  }

  /**
   * Returns the maximum number of records for the next page, or 0 if no page may be read. The caller must return the
   * unused remainder.
   */
  reserve(): number {
    const reservation = this.#late() ? 0 : Math.max(0, Math.min(PAGE_RECORDS, this.#remaining));
    this.#remaining -= reservation;
    return reservation;
  }

  giveBack(reservation: number, read: number): void {
    this.#remaining += reservation - Math.max(read, QUERY_RECORDS);
    this.read += read;
  }
}

/** Hours since the epoch. */
export interface KeySpan {
  readonly accountId: string;
  readonly keyId: string;
  /** The first hour whose records are read. */
  readonly from: number;
  /** Hours before this one are closed: no record can be added to them. At least `from`. */
  readonly closed: number;
  /** The hour after the last one. At least `closed`. */
  readonly end: number;
  /** The stored rows of the day of `from`. Its rows of hours before `from` are retained. */
  readonly base: KeyDay | undefined;
}

export interface KeyRead {
  /** The rows of the hours from `from` on. */
  readonly rows: readonly RollupRow[];
  /** The end of the stored hours. Every hour before it is stored. */
  readonly reached: number;
  /** Every record was read. */
  readonly isComplete: boolean;
}

export interface ReadingDependencies {
  readonly calls: CallPages;
  readonly store: Pick<RollupStore, 'storeDay'>;
}

/** A record's `created` is at most so much later, or earlier, than the time in its id. */
const idFrom = (hour: number): string =>
  firstIdAt((hour * HOUR_SECONDS - SETTLED_SECONDS - SKEW_SECONDS) * 1000);
const idTo = (hour: number): string => lastIdAt((hour * HOUR_SECONDS + SKEW_SECONDS) * 1000);

/** Whoever stores a day stores the same rows for the same hours, so that a repetition or a race changes nothing. */
export async function readKey(
  { calls, store }: ReadingDependencies,
  span: KeySpan,
  budget: ReadingBudget,
): Promise<KeyRead> {
  const { keyId, from, closed, end } = span;
  const table = new RollupTable();
  const writer = new DayWriter(store, span, table);
  for (let after: string | undefined; ; ) {
    const limit = budget.reserve();
    if (limit === 0) {
      await writer.storeThrough(writer.reached, true);
      return { rows: rowsOf(table), reached: writer.reached, isComplete: false };
    }
    const page = await calls.read({ keyId, from: idFrom(from), to: idTo(end), after, limit });
    budget.giveBack(limit, page.calls.length);
    for (const call of page.calls) {
      const hour = hourOf(call.created);
      if (hour >= from && hour < end) table.add(call);
    }
    after = page.next;
    if (after === undefined) {
      await writer.storeThrough(closed, true);
      return { rows: rowsOf(table), reached: closed, isComplete: true };
    }
    const passed = hourOf(timeOfId(after) / 1000 - SKEW_SECONDS);
    await writer.storeThrough(Math.min(closed, passed), false);
  }
}

const rowsOf = (table: RollupTable): readonly RollupRow[] => table.days().flatMap((day) => table.rows(day));

/** Stores each day once its last record has been read. */
class DayWriter {
  /** All records of the hours before this one have been read. */
  reached: number;
  readonly #store: Pick<RollupStore, 'storeDay'>;
  readonly #span: KeySpan;
  readonly #table: RollupTable;
  #storedDay = Number.NEGATIVE_INFINITY;

  constructor(store: Pick<RollupStore, 'storeDay'>, span: KeySpan, table: RollupTable) {
    this.#store = store;
    this.#span = span;
    this.#table = table;
    this.reached = span.from;
  }

  /** Stores the days that end at `reached` or before; with `last`, the one that does not end there too. */
  async storeThrough(reached: number, last: boolean): Promise<void> {
    this.reached = Math.max(this.reached, reached);
    for (const day of this.#table.days()) {
      const dayEnd = (day + 1) * DAY_HOURS;
      if (day <= this.#storedDay || (dayEnd > this.reached && !last)) continue;
      this.#storedDay = day;
      await this.#storeDay(day, Math.min(dayEnd, this.reached));
    }
  }

  async #storeDay(day: number, through: number): Promise<void> {
    const { accountId, keyId, from, base } = this.#span;
    const read = this.#table.rows(day).filter(({ hour }) => hour < through);
    if (read.length === 0) return;
    const earlierRows = base?.day === day ? base.rows.filter(({ hour }) => hour < from) : [];
    await this.#store.storeDay(accountId, { keyId, day, through, rows: [...earlierRows, ...read] });
  }
}
