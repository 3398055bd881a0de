/**
 * Lets requests to DynamoDB through as DynamoDB does: within the capacity of items and partitions, and none that meets a
 * transaction on its item. It knows no database: the units of a request are reported to it. Stricter than DynamoDB: a
 * batch that meets one hot partition is throttled as a whole.
 */
import { Capacity, type CapacityLimits, type Demand } from './capacity.ts';
import type { DatabaseError } from './front.ts';
import { type ItemAccess, type RequestInput, touchedBy } from './requests.ts';

/** A request on its way through the database. */
export interface Passage {
  readonly touched: readonly ItemAccess[];
  /**
   * The request has been carried out; with what its only item cost, where that is known. Returns the error of a reading
   * transaction that a write has disturbed.
   */
  done(units?: number): DatabaseError | undefined;
}

/** Requests in flight on one item. */
interface InFlight {
  writes: number;
  transactions: number;
  /** Reading transactions, which a write cancels. */
  readonly readers: Set<{ disturbed: boolean }>;
}

/** A transaction prepares and commits, so each of its items costs twice as much. */
const factorOf = ({ transaction, direction, consistent }: ItemAccess): number =>
  transaction ? 2 : direction === 'read' && !consistent ? 0.5 : 1;

const nameOf = ({ table, item }: Pick<ItemAccess, 'table' | 'item'>): string => `${table} ${item}`;

export class RequestLimits {
  readonly capacity: Capacity;
  /** `conflicts` are single writes that met a transaction, `cancelled` transactions that met another one or a write. */
  readonly counts = { throttled: 0, conflicts: 0, cancelled: 0 };
  readonly #inFlight = new Map<string, InFlight>();
  /** The units of the last request to an item in the same direction, before the factor of a transaction. */
  readonly #lastUnits = new Map<string, number>();

  constructor(limits: CapacityLimits) {
    this.capacity = new Capacity(limits);
  }

  /**
   * Returns an error, or a passage that lasts until the request is done. A request that conflicts with a transaction uses
   * capacity too.
   */
  arrive(operation: string, input: RequestInput): Passage | DatabaseError {
    const touched = touchedBy(operation, input);
    const demands = touched.map((each) => this.#demand(each));
    const transaction = touched[0]?.transaction === true;
    const throttledDemand = this.capacity.take(demands);
    if (throttledDemand !== undefined) {
      this.counts.throttled += 1;
      return throttleError(demands, throttledDemand, transaction);
    }
    const conflictFlags = touched.map((each) => this.#conflicts(each));
    if (conflictFlags.includes(true)) return this.#conflict(conflictFlags, transaction);
    const reader = { disturbed: false };
    for (const each of touched) this.#enter(each, reader);
    return {
      touched,
      done: (units) => {
        for (const each of touched) this.#leave(each, reader);
        const [only] = touched;
        if (only !== undefined && units !== undefined) this.#correct(only, demands[0]?.units ?? 0, units);
        return reader.disturbed
          ? this.#conflict(
              touched.map(() => true),
              true,
            )
          : undefined;
      },
    };
  }

  #demand(access: ItemAccess): Demand {
    const units = this.#lastUnits.get(`${access.direction} ${nameOf(access)}`) ?? 1;
    return { ...access, units: factorOf(access) * units };
  }

  #correct(access: ItemAccess, taken: number, units: number): void {
    if (units === taken) return;
    this.#lastUnits.set(`${access.direction} ${nameOf(access)}`, units / factorOf(access));
    this.capacity.use({ ...access, units: units - taken });
  }

  #conflicts({ direction, transaction, ...access }: ItemAccess): boolean {
    const inFlight = this.#inFlight.get(nameOf(access));
    if (access.item === undefined || inFlight === undefined) return false;
    if (transaction) return inFlight.transactions > 0 || inFlight.writes > 0;
    return direction === 'write' && inFlight.transactions > 0;
  }

  #enter({ direction, transaction, ...access }: ItemAccess, reader: { disturbed: boolean }): void {
    if (access.item === undefined || (direction === 'read' && !transaction)) return;
    const inFlight = this.#inFlight.get(nameOf(access)) ?? { writes: 0, transactions: 0, readers: new Set() };
    this.#inFlight.set(nameOf(access), inFlight);
    if (direction === 'read') {
      inFlight.readers.add(reader);
      return;
    }
    for (const each of inFlight.readers) each.disturbed = true;
    inFlight[transaction ? 'transactions' : 'writes'] += 1;
  }

  #leave({ direction, transaction, ...access }: ItemAccess, reader: { disturbed: boolean }): void {
    const inFlight = this.#inFlight.get(nameOf(access));
    if (inFlight === undefined || (direction === 'read' && !transaction)) return;
    if (direction === 'read') inFlight.readers.delete(reader);
    else inFlight[transaction ? 'transactions' : 'writes'] -= 1;
    if (inFlight.writes + inFlight.transactions + inFlight.readers.size === 0)
      this.#inFlight.delete(nameOf(access));
  }

  #conflict(conflictFlags: readonly boolean[], transaction: boolean): DatabaseError {
    this.counts[transaction ? 'cancelled' : 'conflicts'] += 1;
    return transaction
      ? cancelled(conflictFlags.map((conflicts) => (conflicts ? 'TransactionConflict' : 'None')))
      : errorOf('TransactionConflictException', {});
  }
}

const errorOf = (type: string, members: Readonly<Record<string, unknown>>): DatabaseError => ({
  status: 400,
  type,
  members,
});

const cancelled = (codes: readonly string[]): DatabaseError =>
  errorOf('TransactionCanceledException', { CancellationReasons: codes.map((code) => ({ Code: code })) });

function throttleError(demands: readonly Demand[], throttled: Demand, transaction: boolean): DatabaseError {
  if (transaction)
    return cancelled(demands.map((demand) => (demand === throttled ? 'ThrottlingError' : 'None')));
  const reason = `Table${throttled.direction === 'read' ? 'Read' : 'Write'}KeyRangeThroughputExceeded`;
  return errorOf('ThrottlingException', { throttlingReasons: [{ reason, resource: throttled.table }] });
}

export const isPassage = (outcome: Passage | DatabaseError): outcome is Passage => 'done' in outcome;
