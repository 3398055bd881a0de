/** Orders of credit, and the payment events that change them. */

import { QUOTAS } from '../../platform/core/api/quotas.ts';
import { ServiceError } from '../../platform/core/errors.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import { retryOptimistically } from '../../platform/core/optimistic.ts';
import type { Clock, Log, UlidSource } from '../../platform/core/ports.ts';
import { applyFact, entriesBetween, type Order } from './order.ts';
import type { OrderReference, OrderStore, OrdersFull, PaymentEvent, PaymentProvider } from './ports.ts';

/** Each further try means that another event of the same order came in between. */
const MAX_ATTEMPTS = 10;

const ORDER_ID = /^ord_[0-9A-HJKMNP-TV-Z]{26}$/;

export interface OrderDependencies {
  readonly store: OrderStore;
  readonly provider: Pick<PaymentProvider, 'openCheckout'>;
  readonly clock: Clock;
  readonly ulid: UlidSource;
}

const LIMITS = { unpaid: QUOTAS.unpaid_orders_per_account, today: QUOTAS.orders_per_account_per_day };

/**
 * Opens a checkout and stores its order. An event of the payment may arrive first: then the order already exists, and
 * retains its facts. Throws 429 `order_quota` if the account has reached its maximum of unpaid orders, or of orders per
 * day. Throws 503 `payment_provider_unavailable`.
 */
export async function createOrder(
  { store, provider, clock, ulid }: OrderDependencies,
  accountId: string,
  amount: NanoUsd,
): Promise<Order> {
  const id = `ord_${ulid()}`;
  const reference = { orderId: id, accountId };
  const created = Math.floor(clock() / 1000);
  const reserved = await store.reserve(reference, LIMITS, created);
  if (reserved !== 'reserved') throw tooMany(reserved);
  const { url } = await provider.openCheckout({ ...reference, amount }).catch(async (failure: unknown) => {
    await store.callOff(reference);
    throw failure;
  });
  const order: Order = { id, accountId, amount, created, checkoutUrl: url, reversals: {}, version: 0 };
  await store.save(order);
  return order;
}

function tooMany({ why, retryAfterSeconds }: OrdersFull): ServiceError {
  const message =
    why === 'unpaid'
      ? `An account may have at most ${LIMITS.unpaid} unpaid orders: pay one, or wait until one expires.`
      : `An account may make at most ${LIMITS.today} orders a day (UTC).`;
  return new ServiceError('order_quota', message, { retryAfterSeconds });
}

/** The account's order of that id. Throws 404 for every other. */
export async function ownOrder(store: Pick<OrderStore, 'find'>, reference: OrderReference): Promise<Order> {
  const order = ORDER_ID.test(reference.orderId) ? await store.find(reference) : undefined;
  const message = 'No order with this id belongs to your account.';
  if (order === undefined) throw new ServiceError('not_found', message, { param: 'order_id' });
  return order;
}

/** `credited`: the payment of an order; `changed`: another fact. */
export type EventResult = 'credited' | 'changed' | 'unchanged' | 'no account';

/**
 * Applies a payment event to its order and the account's ledger: once, for repeated events in any sequence. Throws if
 * the result is unknown: then the event must be applied again.
 */
export async function applyEvent(
  { store, log }: { readonly store: Pick<OrderStore, 'find' | 'advance'>; readonly log: Log },
  { order: reference, fact, created }: PaymentEvent,
): Promise<EventResult> {
  return retryOptimistically<EventResult>(MAX_ATTEMPTS, 'this order', async () => {
    const before = (await store.find(reference)) ?? unknownOrder(reference, created);
    const after = applyFact(before, fact);
    if (after === before) return 'unchanged';
    const result = await store.advance(before, after, entriesBetween(before, after));
    if (result === 'stale') return undefined;
    if (result === 'done') return fact.kind === 'paid' ? 'credited' : 'changed';
    // Another deployment shares the provider's account, and its events come here too.
    log.warn('payment event of no account here', { accountId: reference.accountId, fact: fact.kind });
    return 'no account';
  });
}

/** Returns an order with only its reference, because it is not stored yet. */
const unknownOrder = ({ orderId, accountId }: OrderReference, created: number): Order => ({
  id: orderId,
  accountId,
  amount: 0n,
  created,
  reversals: {},
  version: 0,
});
