/**
 * Lets requests to DynamoDB through as DynamoDB does: within the capacity of items and partitions, and none that meets a
 * transaction on its item. It knows no time but the clock's, and no database: the units of a request are reported to it.
 * Stricter than DynamoDB: a batch that meets one hot partition is throttled as a whole.
 */
import { Capacity, type CapacityLimits, type Demand } from './capacity.ts';
import { type ItemAccess, type RequestInput, type Schemas, touchedBy } from './requests.ts';
import { TRANSACTION_FACTOR } from './units.ts';

export interface RequestLimitsOptions {
  readonly limits: CapacityLimits;
  readonly schemas: Schemas;
  readonly clock: () => number;
}

/** An error as DynamoDB names it (status 400), with its further members. */
export interface DynamoError {
  readonly type: string;
  readonly message: string;
  readonly members: Readonly<Record<string, unknown>>;
}

/** A request on its way through the database. */
export interface Passage {
  readonly touched: readonly ItemAccess[];
  /**
   * The request has been carried out; with what each of its items cost, where that is known. Returns the error of a
   * reading transaction that a write has disturbed.
   */
  done(units?: readonly (number | undefined)[]): DynamoError | undefined;
}

/** Counts of requests. */
export interface RequestCounts {
  requests: number;
  throttled: number;
  /** Single writes that conflicted with a transaction. */
  conflicts: number;
  /** Transactions that conflicted with another one, or with a write. */
  cancelled: number;
}

/** Requests in flight on one item. */
interface InFlight {
  writes: number;
  transactions: number;
  /** Reading transactions, which a write cancels. */
  readonly readers: Set<{ disturbed: boolean }>;
}

export class RequestLimits {
  readonly capacity: Capacity;
  readonly counts: RequestCounts = { requests: 0, throttled: 0, conflicts: 0, cancelled: 0 };
  readonly #options: RequestLimitsOptions;
  readonly #inFlight = new Map<string, InFlight>();
  /** The units of the last request to an item in the same direction, before the factor of a transaction. */
  readonly #lastUnits = new Map<string, number>();

  constructor(options: RequestLimitsOptions) {
    this.#options = options;
    this.capacity = new Capacity(options.limits);
  }

  /** Returns an error, or a passage that lasts until the request is done. A request that conflicts with a transaction uses
   * capacity too. */
  arrive(operation: string, input: RequestInput): Passage | DynamoError {
    this.counts.requests += 1;
    const touched = touchedBy(operation, input, this.#options.schemas);
    const demands = touched.map((each) => this.#demand(each));
    const throttledDemand = this.capacity.take(demands, this.#options.clock());
    if (throttledDemand !== undefined) {
      this.counts.throttled += 1;
      return this.#throttle(demands, throttledDemand, touched[0]?.transaction === true);
    }
    const conflictFlags = touched.map((each) => this.#conflicts(each));
    if (conflictFlags.includes(true)) return this.#conflict(conflictFlags, touched[0]?.transaction === true);
    const reader = { disturbed: false };
    for (const each of touched) this.#enter(each, reader);
    return {
      touched,
      done: (units = []) => {
        for (const [at, each] of touched.entries()) {
          this.#leave(each, reader);
          const demand = demands[at];
          if (demand !== undefined) this.#updateUsage(each, demand, units[at]);
        }
        return reader.disturbed
          ? this.#conflict(
              touched.map(() => true),
              true,
            )
          : undefined;
      },
    };
  }

  #demand({ table, partitionKey, item, direction, transaction, consistent }: ItemAccess): Demand {
    const factor = transaction ? TRANSACTION_FACTOR : direction === 'read' && !consistent ? 0.5 : 1;
    const units = factor * (this.#lastUnits.get(`${direction} ${table} ${item}`) ?? 1);
    return { table, partitionKey, item, direction, units };
  }

  #updateUsage(
    { transaction, consistent, direction }: ItemAccess,
    demand: Demand,
    units: number | undefined,
  ): void {
    if (units === undefined || units === demand.units) return;
    const factor = transaction ? TRANSACTION_FACTOR : direction === 'read' && !consistent ? 0.5 : 1;
    this.#lastUnits.set(`${direction} ${demand.table} ${demand.item}`, units / factor);
    this.capacity.correct({ ...demand, units: units - demand.units }, this.#options.clock());
  }

  #conflicts({ table, item, direction, transaction }: ItemAccess): boolean {
    const inFlight = this.#inFlight.get(`${table} ${item}`);
    if (item === undefined || inFlight === undefined) return false;
    if (transaction) return inFlight.transactions > 0 || inFlight.writes > 0;
    return direction === 'write' && inFlight.transactions > 0;
  }

  #enter({ table, item, direction, transaction }: ItemAccess, reader: { disturbed: boolean }): void {
    if (item === undefined || (direction === 'read' && !transaction)) return;
    const name = `${table} ${item}`;
    const inFlight = this.#inFlight.get(name) ?? { writes: 0, transactions: 0, readers: new Set() };
    this.#inFlight.set(name, inFlight);
    if (direction === 'read') {
      inFlight.readers.add(reader);
      return;
    }
    for (const each of inFlight.readers) each.disturbed = true;
    inFlight[transaction ? 'transactions' : 'writes'] += 1;
  }

  #leave({ table, item, direction, transaction }: ItemAccess, reader: { disturbed: boolean }): void {
    const name = `${table} ${item}`;
    const inFlight = this.#inFlight.get(name);
    if (inFlight === undefined || (direction === 'read' && !transaction)) return;
    if (direction === 'read') inFlight.readers.delete(reader);
    else inFlight[transaction ? 'transactions' : 'writes'] -= 1;
    if (inFlight.writes + inFlight.transactions + inFlight.readers.size === 0) this.#inFlight.delete(name);
  }

  #throttle(demands: readonly Demand[], throttledDemand: Demand, transaction: boolean): DynamoError {
    const message = 'Throughput exceeds the current capacity of your table or index.';
    if (transaction) {
      return cancelled(demands.map((demand) => (demand === throttledDemand ? 'ThrottlingError' : 'None')));
    }
    const limit = `Table${throttledDemand.direction === 'read' ? 'Read' : 'Write'}KeyRangeThroughputExceeded`;
    const reasons = [{ reason: limit, resource: throttledDemand.table }];
    return { type: 'ThrottlingException', message, members: { throttlingReasons: reasons } };
  }

  #conflict(conflictFlags: readonly boolean[], transaction: boolean): DynamoError {
    this.counts[transaction ? 'cancelled' : 'conflicts'] += 1;
    if (transaction)
      return cancelled(conflictFlags.map((conflicts) => (conflicts ? 'TransactionConflict' : 'None')));
    return {
      type: 'TransactionConflictException',
      message: 'Transaction is ongoing for the item',
      members: {},
    };
  }
}

const cancelled = (codes: readonly string[]): DynamoError => ({
  type: 'TransactionCanceledException',
  message: `Transaction cancelled, please refer cancellation reasons for specific reasons [${codes.join(', ')}]`,
  members: { CancellationReasons: codes.map((code) => ({ Code: code })) },
});

export const isPassage = (outcome: Passage | DynamoError): outcome is Passage => 'done' in outcome;
