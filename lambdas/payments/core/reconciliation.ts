/** Compares the orders with the lists of the payment provider, applies the facts that no event has brought, and finds what differs. */
import type { Clock, Log } from '../../platform/core/ports.ts';
import { applyFact, type Order, type PaymentFact } from './order.ts';
import { applyEvent, type EventResult } from './orders.ts';
import {
  LISTS,
  type ListedFact,
  ListTooLongError,
  type OrderReference,
  type OrderStore,
  type PaymentLists,
} from './ports.ts';

const HOUR = 3_600;
const DAY = 24 * HOUR;

/** Payments of a week: the job may have failed for six days. A checkout can be paid for a day. */
export const PAYMENT_DAYS = 7;

/** Refunds and disputes are few, and a dispute takes up to three months (Stripe documentation, How disputes work). */
const REVERSAL_DAYS = 120;

/** An event that is on its way arrives within this time, so that what the provider did just now is not reported as missed. */
const ARRIVAL_MS = 60_000;

/** The latest end of a checkout after the time of its order, with an hour for clocks and requests in flight. */
const CHECKOUT_SECONDS = DAY + HOUR;

/** Differences that a result names; it counts all. */
const MAX_NAMED = 100;

type DifferenceReason =
  /** The amount is in another currency, or is none. */
  | 'unreadable_amount'
  /** The account is here, and has no such order. */
  | 'unknown_order'
  /** The provider states another amount than the order. */
  | 'amount_differs'
  /** Two checkouts of one order were paid. */
  | 'paid_twice'
  /** A refund or a dispute of an order whose payment neither the events nor the lists contain. */
  | 'reversal_of_unpaid_order'
  /** The order was credited, and no checkout of the provider was paid for it. */
  | 'unknown_to_provider';

interface Difference {
  readonly reason: DifferenceReason;
  readonly order: OrderReference;
  /** The provider's id of the checkout, the refund or the dispute, if it has one. */
  readonly id?: string;
}

export interface Reconciliation {
  /** Payments, refunds and disputes that name an order. */
  readonly compared: number;
  /** Facts that no event had brought, and that are applied now. */
  readonly applied: number;
  /** The number of differences. */
  readonly differing: number;
  readonly differences: readonly Difference[];
  /** False if a list is longer than what is read of it. */
  readonly complete: boolean;
}

export interface ReconciliationDependencies {
  readonly lists: PaymentLists;
  readonly store: Pick<OrderStore, 'find' | 'advance' | 'hasAccount' | 'paidOrders'>;
  /** Receives each fact that is applied, at once: a run that dies later has applied it all the same. */
  readonly onApplied: (result: EventResult) => void;
  readonly wait: (milliseconds: number) => Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

/** The provider's lists are those of the last `days`, or longer ones of refunds and disputes. Undefined if there is no provider. */
export async function reconcilePayments(
  dependencies: ReconciliationDependencies,
  days = PAYMENT_DAYS,
): Promise<Reconciliation | undefined> {
  const { lists, log } = dependencies;
  if (!(await lists.isConfigured())) {
    log.info('payments are not reconciled', { reason: 'no key of a payment provider is stored' });
    return undefined;
  }
  const result = await new Comparison(dependencies, days).run();
  const { differences, ...counts } = result;
  log.info('payments are reconciled', counts);
  for (const difference of differences) log.error('payments differ', { ...difference });
  return result;
}

/** The state of an order against a fact of the provider. `foreign`: of another deployment at the same provider. */
type Verdict = 'equal' | 'missing' | 'foreign' | DifferenceReason;

class Comparison {
  readonly #dependencies: ReconciliationDependencies;
  readonly #days: number;
  readonly #startSeconds: number;
  /** The paid checkouts of the provider, by the order's id. */
  readonly #checkouts = new Map<string, string>();
  readonly #differences: Difference[] = [];
  #differing = 0;
  #compared = 0;
  #applied = 0;
  #complete = true;

  constructor(dependencies: ReconciliationDependencies, days: number) {
    this.#dependencies = dependencies;
    this.#days = days;
    this.#startSeconds = Math.floor(dependencies.clock() / 1000);
  }

  async run(): Promise<Reconciliation> {
    const missing: ListedFact[] = [];
    for (const name of LISTS) {
      const days = name === 'payments' ? this.#days : Math.max(this.#days, REVERSAL_DAYS);
      const pages = this.#dependencies.lists.list(name, this.#startSeconds - days * DAY);
      try {
        for await (const page of pages) missing.push(...(await this.#missingOf(page)));
      } catch (failure) {
        if (!(failure instanceof ListTooLongError)) throw failure;
        this.#dependencies.log.error('payments not compared', { reason: failure.message });
        this.#complete = false;
      }
    }
    if (missing.length > 0) await this.#dependencies.wait(ARRIVAL_MS);
    // In the sequence of the lists, so that the payment of an order comes before its refunds.
    for (const listed of missing) await this.#apply(listed);
    if (this.#complete) await this.#compareOrders();
    return {
      compared: this.#compared,
      applied: this.#applied,
      differing: this.#differing,
      differences: this.#differences,
      complete: this.#complete,
    };
  }

  /** Returns the facts of a page that are not recorded yet, and counts what differs. */
  async #missingOf(page: readonly ListedFact[]): Promise<readonly ListedFact[]> {
    const verdicts = await Promise.all(page.map((listed) => this.#verdictOf(listed)));
    return page.filter((listed, index) => {
      const verdict = verdicts[index] ?? 'foreign';
      // Whether a reversal's order is unpaid is known when the missing payments are applied.
      if (verdict === 'missing' || verdict === 'reversal_of_unpaid_order') return true;
      this.#count(listed, verdict);
      return false;
    });
  }

  async #apply(listed: ListedFact): Promise<void> {
    const { fact, order, created } = listed;
    const verdict = await this.#verdictOf(listed);
    if (verdict !== 'missing' || fact === undefined) {
      this.#count(listed, verdict);
      return;
    }
    const result = await applyEvent(this.#dependencies, { order, fact, created });
    this.#compared += 1;
    if (result === 'unchanged') return;
    this.#applied += 1;
    this.#dependencies.log.error('no event has brought a payment fact', {
      ...order,
      id: listed.id,
      fact: fact.kind,
    });
    this.#dependencies.onApplied(result);
  }

  #count({ id, order }: ListedFact, verdict: Verdict): void {
    if (verdict === 'foreign') return;
    this.#compared += 1;
    if (verdict !== 'equal' && verdict !== 'missing') this.#differ({ reason: verdict, order, id });
  }

  #differ(difference: Difference): void {
    this.#differing += 1;
    if (this.#differences.length < MAX_NAMED) this.#differences.push(difference);
  }

  async #verdictOf({ id, order: reference, fact }: ListedFact): Promise<Verdict> {
    const { store } = this.#dependencies;
    const order = await store.find(reference);
    // An event records its fact before the order is stored; by the time of a list, the order has long been stored.
    if (order?.checkoutUrl === undefined)
      return (await store.hasAccount(reference.accountId)) ? 'unknown_order' : 'foreign';
    if (fact === undefined) return 'unreadable_amount';
    if (fact.kind === 'paid') return this.#verdictOfPayment(order, fact.amount, id);
    return fact.kind === 'reversal' ? verdictOfReversal(order, fact) : 'equal';
  }

  #verdictOfPayment(order: Order, amount: bigint, id: string): Verdict {
    const checkout = this.#checkouts.get(order.id);
    if (checkout !== undefined && checkout !== id) return 'paid_twice';
    this.#checkouts.set(order.id, id);
    if (order.paid === undefined) return order.amount === amount ? 'missing' : 'amount_differs';
    return order.paid === amount ? 'equal' : 'amount_differs';
  }

  /** Finds orders that were credited without a payment, among those whose checkout has come to its end. */
  async #compareOrders(): Promise<void> {
    const from = this.#startSeconds - this.#days * DAY + HOUR;
    const to = this.#startSeconds - CHECKOUT_SECONDS;
    if (from > to) return;
    for await (const orders of this.#dependencies.store.paidOrders({ from, to }))
      for (const { id: orderId, accountId } of orders)
        if (!this.#checkouts.has(orderId))
          this.#differ({ reason: 'unknown_to_provider', order: { orderId, accountId } });
  }
}

/** A recorded amount is the maximum of those that were reported, and what was undone stays undone. */
function verdictOfReversal(order: Order, fact: Extract<PaymentFact, { kind: 'reversal' }>): Verdict {
  if (order.paid === undefined) return 'reversal_of_unpaid_order';
  if (applyFact(order, fact) !== order) return 'missing';
  const recorded = order.reversals[fact.id];
  return recorded?.amount === fact.amount && recorded.undone === fact.undone ? 'equal' : 'amount_differs';
}
