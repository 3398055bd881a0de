/** Payouts and payout accounts as items of their seller's partition. */

import {
  type Item,
  map,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { MONEY_STEPS, type Payout, type PayoutAttempt, type PayoutEnd } from '../../core/payouts/payout.ts';
import { PAYOUT_SCHEDULES, type PayoutAccount, type SellerState } from '../../core/payouts/ports.ts';
import { DUE_INDEX, marketKey } from '../market-item.ts';
import { decodeBalance } from '../sales/sale-writes.ts';
import { PAYOUT_PREFIX, payoutDueAttributes, payoutKey } from './payout-hint.ts';

export const ACCOUNT_ITEM = 'payout_account';

const optional = (name: string, value: string | number | undefined): Item => {
  if (value === undefined) return {};
  return { [name]: typeof value === 'number' ? number(value) : text(value) };
};

const due = (dueAt: number | undefined): Item => (dueAt === undefined ? {} : payoutDueAttributes(dueAt));

const dueOf = (item: Item): number | undefined =>
  item[DUE_INDEX.sortKey]?.S === undefined ? undefined : Number(item[DUE_INDEX.sortKey]?.S);

const optionalNumber = (item: Item, name: string): number | undefined =>
  item[name] === undefined ? undefined : readNumber(item, name);

export const encodePayout = (payout: Payout): Item => ({
  ...payoutKey(payout),
  ...due(payout.dueAt),
  amount: number(payout.amount),
  created: number(payout.created),
  attempts: map(
    Object.fromEntries(
      Object.entries(payout.attempts).map(([step, { generation, at }]) => [
        step,
        map({ generation: number(generation), at: number(at) }),
      ]),
    ),
  ),
  ...optional('transfer', payout.transfer),
  ...optional('payout', payout.payout),
  ...optional('arrival_date', payout.arrivalDate),
  ...optional('paid_at', payout.paidAt),
  ...optional('ended', payout.end?.how),
  ...optional('end_code', payout.end?.code),
  returned: { BOOL: payout.returned },
  version: number(payout.version),
});

export function decodePayout(item: Item): Payout {
  return {
    id: readText(item, 'item').slice(PAYOUT_PREFIX.length),
    sellerId: readText(item, 'owner_id'),
    amount: readInteger(item, 'amount'),
    created: readNumber(item, 'created'),
    attempts: Object.fromEntries(
      MONEY_STEPS.flatMap((step): [string, PayoutAttempt][] => {
        const attempt = item.attempts?.M?.[step]?.M;
        if (attempt === undefined) return [];
        return [[step, { generation: readNumber(attempt, 'generation'), at: readNumber(attempt, 'at') }]];
      }),
    ),
    transfer: item.transfer?.S,
    payout: item.payout?.S,
    arrivalDate: optionalNumber(item, 'arrival_date'),
    paidAt: optionalNumber(item, 'paid_at'),
    end: endOf(item),
    returned: item.returned?.BOOL === true,
    dueAt: dueOf(item),
    version: readNumber(item, 'version'),
  };
}

function endOf(item: Item): PayoutEnd | undefined {
  const how = item.ended?.S;
  return how === 'failed' || how === 'canceled' ? { how, code: item.end_code?.S } : undefined;
}

export const encodeAccount = (account: PayoutAccount): Item => ({
  ...marketKey(account.sellerId, ACCOUNT_ITEM),
  ...due(account.dueAt),
  provider_id: text(account.providerId),
  country: text(account.country),
  schedule: text(account.schedule),
  minimum: number(account.minimum),
});

export const decodeAccount = (item: Item): PayoutAccount => ({
  sellerId: readText(item, 'owner_id'),
  providerId: readText(item, 'provider_id'),
  country: readText(item, 'country'),
  schedule: PAYOUT_SCHEDULES.find((each) => each === readText(item, 'schedule')) ?? 'manual',
  minimum: readNumber(item, 'minimum'),
  dueAt: dueOf(item),
});

/** A seller without a balance has sold nothing. */
export const decodeSeller = (item: Item): SellerState => ({
  balance: decodeBalance(item),
  openPayouts: item.open_payouts === undefined ? 0 : readNumber(item, 'open_payouts'),
  paused: item.paused?.BOOL === true,
  maturityDays: optionalNumber(item, 'maturity_days'),
});
