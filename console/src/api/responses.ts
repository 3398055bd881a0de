/** Responses of the service as the console uses them: amounts of money to the last digit that was sent. */
import type { RawJson } from '../../../lambdas/platform/core/json/lossless-json.ts';
import { parseUsd } from './money.ts';

/** Fields that contain an amount in USD, in any response. */
export const AMOUNTS: ReadonlySet<string> = new Set([
  'balance',
  'held',
  'owed',
  'cost',
  'waived',
  'refunded',
  'today',
  'month',
  'daily_usd',
  'monthly_usd',
  'input_price',
  'output_price',
  'cached_input_price',
  'fee',
  'fees',
  // Of statements and earnings.
  'opening',
  'closing',
  'top_ups',
  'grants',
  'transfers',
  'purchase_refunds',
  'purchases',
  'refunds',
  'usage',
  'pending',
  'available',
  'transferred',
  'received',
  'in_transit',
  'paid_out',
  // Of the operator's view.
  'spent',
  'drift',
  'sold',
  'returned',
  'total',
  'old',
  'new',
]);

/** A response as the console uses it: amounts are `bigint` nano-USD, parsed from the exact digits that were sent. */
export type ConsoleValue<T> = T extends RawJson
  ? bigint
  : T extends readonly (infer E)[]
    ? ConsoleValue<E>[]
    : T extends object
      ? { [K in keyof T]: ConsoleValue<T[K]> }
      : T;

interface Source {
  readonly source?: string;
}

/** JSON whose amounts are `bigint`; browsers without the source of a number use the number, exact below 4 million USD. */
export function parseResponse(text: string): unknown {
  function revive(this: object, key: string, value: unknown, context?: Source): unknown {
    if (typeof value !== 'number' || !isAmount(key, this)) return value;
    return parseUsd(context?.source ?? value.toFixed(9));
  }
  return JSON.parse(text, revive as (key: string, value: unknown) => unknown);
}

/**
 * A field named `amount` or `price` is USD in an order, unbilled usage, a line of a bill, a price list and a transaction
 * of earnings, not in a listing. The charge of a subscription is in cents.
 */
const isAmount = (key: string, holder: object): boolean =>
  AMOUNTS.has(key) ||
  (key === 'amount' && ('order_id' in holder || 'factor' in holder || 'sale' in holder)) ||
  (key === 'price' && ('per' in holder || 'model_id' in holder || 'payable' in holder));
