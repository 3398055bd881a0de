/** Sales, balances and transactions as items of their seller's partition, and their writes. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { putEntry } from '../../../ledger/store/ledger-entry.ts';
import type { WalletPostings } from '../../../ledger/store/wallet/posting.ts';
import {
  type Item,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import {
  type EarningsTransaction,
  SALE_PREFIX,
  type SaleKey,
  TRANSACTION_TYPES,
} from '../../core/earnings/ports.ts';
import {
  EMPTY_BALANCE,
  HOLD_REASONS,
  proceedsOf,
  recordSale,
  SALE_STATUSES,
  type Sale,
  type SaleChange,
  type SellerBalance,
} from '../../core/earnings/sale.ts';
import type { NewSale } from '../../core/purchases/ports.ts';
import { dueAttributes, marketKey, putNewItem } from '../market-item.ts';

export const TRANSACTION_PREFIX = 'transaction#';

export const saleKey = ({ sellerId, chargeId }: SaleKey): Item =>
  marketKey(sellerId, `${SALE_PREFIX}${chargeId}`);

export const balanceKey = (sellerId: string): Item => marketKey(sellerId, 'balance');

const encodeSale = (sale: Sale): Item => ({
  ...saleKey(sale),
  ...(sale.status === 'pending' ? dueAttributes(sale.chargeId, sale.dueAt) : {}),
  buyer_id: text(sale.buyerId),
  listing_id: text(sale.listingId),
  gross: number(sale.gross),
  fee: number(sale.fee),
  returned: number(sale.returned),
  payable: { BOOL: sale.payable },
  ...(sale.held === undefined ? {} : { held: text(sale.held) }),
  status: text(sale.status),
  created: number(sale.created),
  due: number(sale.dueAt),
});

export function decodeSale(item: Item): Sale {
  const stored = readText(item, 'status');
  const status = SALE_STATUSES.find((each) => each === stored);
  if (status === undefined) throw new Error('not a status of a sale');
  return {
    chargeId: readText(item, 'item').slice(SALE_PREFIX.length),
    sellerId: readText(item, 'owner_id'),
    buyerId: readText(item, 'buyer_id'),
    listingId: readText(item, 'listing_id'),
    gross: readInteger(item, 'gross'),
    fee: readInteger(item, 'fee'),
    returned: readInteger(item, 'returned'),
    payable: item.payable?.BOOL === true,
    held: HOLD_REASONS.find((each) => each === item.held?.S),
    status,
    created: readNumber(item, 'created'),
    dueAt: readNumber(item, 'due'),
  };
}

/** Replaces a sale, on the condition that its money is as it was read. */
export const replaceSale = (table: string, before: Sale, after: Sale): TransactWriteItem => ({
  Put: {
    TableName: table,
    Item: encodeSale(after),
    ConditionExpression: '#status = :status AND returned = :returned',
    ExpressionAttributeNames: { '#status': 'status' },
    ExpressionAttributeValues: { ':status': text(before.status), ':returned': number(before.returned) },
  },
});

const PARTS = (Object.keys(EMPTY_BALANCE) as readonly (keyof SellerBalance)[]).map((part) => ({
  part,
  attribute: part.replace(/[A-Z]/, (letter) => `_${letter.toLowerCase()}`),
}));

/**
 * A change of the number of open payouts. A payout starts only if no other is open, and they are not paused. One that
 * was sent before is adopted in any case.
 */
export type OpenPayoutsChange = 'none' | 'start' | 'adopt' | 'end';

const OPEN_PAYOUTS = { none: 0, start: 1, adopt: 1, end: -1 } as const;

/** Changes a seller's balance, on the condition that no part of it becomes less than 0. */
export function changeBalance(
  table: string,
  sellerId: string,
  change: SellerBalance,
  openPayouts: OpenPayoutsChange = 'none',
): TransactWriteItem {
  const changed = PARTS.filter(({ part }) => change[part] !== 0n);
  const reduced = changed.filter(({ part }) => change[part] < 0n);
  const added = changed.map(({ attribute }) => `${attribute} :${attribute}`);
  const conditions = reduced.map(({ attribute }) => `${attribute} >= :least_${attribute}`);
  if (openPayouts !== 'none') added.push('open_payouts :open');
  if (openPayouts === 'start')
    conditions.push(
      '(attribute_not_exists(open_payouts) OR open_payouts = :none)',
      'attribute_not_exists(paused)',
    );
  return {
    Update: {
      TableName: table,
      Key: balanceKey(sellerId),
      UpdateExpression: ['ADD version :one', ...added].join(', '),
      ...(conditions.length === 0 ? {} : { ConditionExpression: conditions.join(' AND ') }),
      ExpressionAttributeValues: Object.fromEntries([
        ...changed.map(({ part, attribute }) => [`:${attribute}`, number(change[part])]),
        ...reduced.map(({ part, attribute }) => [`:least_${attribute}`, number(-change[part])]),
        ...(openPayouts === 'none' ? [] : [[':open', number(OPEN_PAYOUTS[openPayouts])]]),
        ...(openPayouts === 'start' ? [[':none', number(0)]] : []),
        [':one', number(1)],
      ]),
    },
  };
}

/** A balance that no sale has changed yet is empty. */
export const decodeBalance = (item: Item): SellerBalance =>
  Object.fromEntries(
    PARTS.map(({ part, attribute }) => [
      part,
      item[attribute] === undefined ? 0n : readInteger(item, attribute),
    ]),
  ) as unknown as SellerBalance;

/** A transaction is found by its time: its key is the ULID of its id. */
export const transactionItem = (id: string): string => `${TRANSACTION_PREFIX}${id.slice('txn_'.length)}`;

export const putTransaction = (table: string, transaction: EarningsTransaction): TransactWriteItem => {
  const { id, sellerId, type, amount, chargeId, payoutId, created } = transaction;
  return putNewItem(table, {
    ...marketKey(sellerId, transactionItem(id)),
    type: text(type),
    amount: number(amount),
    ...(chargeId === undefined ? {} : { charge_id: text(chargeId) }),
    ...(payoutId === undefined ? {} : { payout_id: text(payoutId) }),
    created: number(created),
  });
};

export function decodeTransaction(item: Item): EarningsTransaction {
  const stored = readText(item, 'type');
  const type = TRANSACTION_TYPES.find((each) => each === stored);
  if (type === undefined) throw new Error('not a type of a transaction');
  return {
    id: `txn_${readText(item, 'item').slice(TRANSACTION_PREFIX.length)}`,
    sellerId: readText(item, 'owner_id'),
    type,
    amount: readInteger(item, 'amount'),
    ...(item.charge_id?.S === undefined ? {} : { chargeId: item.charge_id.S }),
    ...(item.payout_id?.S === undefined ? {} : { payoutId: item.payout_id.S }),
    created: readNumber(item, 'created'),
  };
}

/** The seller's side of a charge. */
const recordSaleWrites = (table: string, sale: NewSale & Sale): readonly TransactWriteItem[] => [
  putNewItem(table, encodeSale(sale)),
  changeBalance(table, sale.sellerId, recordSale(sale)),
  putTransaction(table, {
    id: sale.transactionId,
    sellerId: sale.sellerId,
    type: 'sale',
    amount: proceedsOf(sale),
    chargeId: sale.chargeId,
    created: sale.created,
  }),
];

/**
 * Returns the writes that move a price from the buyer's wallet to the seller's pending balance; undefined if the buyer's
 * credit does not cover it, or if the buyer is in debt.
 */
export async function planCharge(
  postings: WalletPostings,
  tables: { readonly accounts: string; readonly market: string },
  sale: NewSale,
): Promise<readonly TransactWriteItem[] | undefined> {
  const { buyerId, gross, created, chargeId, listingId } = sale;
  const debit = await postings.planPurchase(buyerId, gross);
  if (debit === undefined) return undefined;
  const { payable, writes } = debit;
  const cash = payable ? -gross : 0n;
  const entry = { kind: 'purchase', id: chargeId, amount: gross, cash, source: listingId } as const;
  return [
    putEntry({ table: tables.accounts, accountId: buyerId, created }, entry),
    ...recordSaleWrites(tables.market, { ...sale, payable }),
    ...writes,
  ];
}

/** The writes of a change of a sale that was read before. */
export const changeSaleWrites = (
  table: string,
  before: Sale,
  { sale, change }: SaleChange,
): readonly TransactWriteItem[] => [
  replaceSale(table, before, sale),
  changeBalance(table, sale.sellerId, change),
];
