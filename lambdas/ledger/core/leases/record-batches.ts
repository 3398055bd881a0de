/**
 * Writes the records of leased calls in batches. With no batch in flight a record is sent at once, else with the next batch,
 * or when a batch is full. So batches are as large as the load makes them, and no record waits for a timer.
 */
import { overloaded } from '../../../platform/core/errors.ts';
import type { After, Clock, Log } from '../../../platform/core/ports.ts';
import type { UsageRecord } from '../usage-record.ts';
import { FenceError, MAX_BATCH, type RecordStore } from './ports.ts';

interface QueuedRecord {
  readonly record: UsageRecord;
  readonly fenceMs: number;
  readonly resolve: () => void;
  readonly reject: (failure: FenceError) => void;
}

/** The pause before records that the database did not take are sent again. */
const RETRY_MS = 100;

export class RecordBatches {
  readonly #store: RecordStore;
  readonly #clock: Clock;
  readonly #after: After;
  readonly #log: Log;
  #queue: QueuedRecord[] = [];
  #inFlight = 0;

  constructor(
    store: RecordStore,
    { clock, after, log }: { readonly clock: Clock; readonly after: After; readonly log: Log },
  ) {
    this.#log = log;
    this.#store = store;
    this.#clock = clock;
    this.#after = after;
  }

  /**
   * Resolves once the record is durable. The same record is sent until then. Throws `FenceError` once the fence of its lease
   * has passed: then recovery alone decides whether the call was recorded.
   */
  put(record: UsageRecord, fenceMs: number): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#queue.push({ record, fenceMs, resolve, reject });
      this.#flush();
    });
  }

  /** The same, for a caller who waits only so long. Throws 503 then; the record is sent all the same. */
  async within(durable: Promise<void>, maxMs: number): Promise<void> {
    let cancel = () => {};
    const late = new Promise<never>((_resolve, reject) => {
      cancel = this.#after(maxMs, () => reject(overloaded()));
    });
    await Promise.race([durable, late]).finally(() => cancel());
  }

  #flush(): void {
    if (this.#queue.length === 0 || (this.#inFlight > 0 && this.#queue.length < MAX_BATCH)) return;
    const batch = this.#queue.splice(0, MAX_BATCH);
    this.#inFlight += 1;
    this.#send(batch)
      .then((unprocessed) => this.#retryLater(unprocessed))
      .finally(() => {
        this.#inFlight -= 1;
        this.#flush();
      });
  }

  #retryLater(records: readonly QueuedRecord[]): void {
    if (records.length === 0) return;
    this.#after(RETRY_MS, () => {
      this.#queue.push(...records);
      this.#flush();
    });
  }

  /** Returns those that are to be sent again. */
  async #send(batch: readonly QueuedRecord[]): Promise<readonly QueuedRecord[]> {
    const fenceMs = Math.min(...batch.map((each) => each.fenceMs));
    try {
      const unprocessed = new Set(
        await this.#store.putAll(
          batch.map(({ record }) => record),
          fenceMs,
        ),
      );
      for (const { record, resolve } of batch) if (!unprocessed.has(record)) resolve();
      return batch.filter(({ record }) => unprocessed.has(record));
    } catch (failure) {
      this.#log.warn('records not written', { records: batch.length, failure: String(failure) });
      const nowMs = this.#clock();
      const isPast = (each: QueuedRecord) => nowMs > each.fenceMs;
      for (const each of batch) if (isPast(each)) each.reject(new FenceError());
      return batch.filter((each) => !isPast(each));
    }
  }
}
