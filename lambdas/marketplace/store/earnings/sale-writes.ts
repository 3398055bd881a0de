/** Sales, balances and transactions as items of their seller's partition, and their writes. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../../platform/contract/tables.ts';
import {
  type Item,
  number,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import {
  DUE_SHARDS,
  type EarningsTransaction,
  type SaleKey,
  TRANSACTION_TYPES,
} from '../../core/earnings/ports.ts';
import {
  EMPTY_BALANCE,
  proceedsOf,
  recordSale,
  SALE_STATUSES,
  type Sale,
  type SaleChange,
  type SellerBalance,
} from '../../core/earnings/sale.ts';

export const SALE_PREFIX = 'sale#';
export const TRANSACTION_PREFIX = 'transaction#';

export const marketKey = (ownerId: string, item: string): Item => ({
  owner_id: text(ownerId),
  item: text(item),
});

export const saleKey = ({ sellerId, chargeId }: SaleKey): Item =>
  marketKey(sellerId, `${SALE_PREFIX}${chargeId}`);

export const balanceKey = (sellerId: string): Item => marketKey(sellerId, 'balance');

export const DUE_INDEX = TABLES.market.indexes[0];

export const dueShard = (shard: number): string => `due#${shard}`;

/** A charge id ends in random characters, whose sum spreads sales evenly. */
const shardOf = (chargeId: string): string =>
  dueShard([...chargeId.slice(-8)].reduce((sum, each) => sum + each.charCodeAt(0), 0) % DUE_SHARDS);

/** Ten digits until the year 2286, so that the times sort as texts. */
export const dueTime = (seconds: number): string => String(seconds).padStart(10, '0');

const dueAttributes = ({ chargeId, dueAt }: Pick<Sale, 'chargeId' | 'dueAt'>): Item => ({
  [DUE_INDEX.partitionKey]: text(shardOf(chargeId)),
  [DUE_INDEX.sortKey]: text(dueTime(dueAt)),
});

const encodeSale = (sale: Sale): Item => ({
  ...saleKey(sale),
  ...(sale.status === 'pending' ? dueAttributes(sale) : {}),
  buyer_id: text(sale.buyerId),
  listing_id: text(sale.listingId),
  gross: number(sale.gross),
  fee: number(sale.fee),
  returned: number(sale.returned),
  payable: { BOOL: sale.payable },
  held: { BOOL: sale.held },
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
    held: item.held?.BOOL === true,
    status,
    created: readNumber(item, 'created'),
    dueAt: readNumber(item, 'due'),
  };
}

const putNew = (table: string, item: Item): TransactWriteItem => ({
  Put: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(owner_id)' },
});

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

const PARTS = Object.keys(EMPTY_BALANCE) as readonly (keyof SellerBalance)[];

/** Changes a seller's balance, on the condition that no part of it becomes less than 0. */
export function changeBalance(table: string, sellerId: string, change: SellerBalance): TransactWriteItem {
  const changed = PARTS.filter((part) => change[part] !== 0n);
  const reduced = changed.filter((part) => change[part] < 0n);
  return {
    Update: {
      TableName: table,
      Key: balanceKey(sellerId),
      UpdateExpression: `ADD version :one, ${changed.map((part) => `${part} :${part}`).join(', ')}`,
      ...(reduced.length === 0
        ? {}
        : { ConditionExpression: reduced.map((part) => `${part} >= :least_${part}`).join(' AND ') }),
      ExpressionAttributeValues: Object.fromEntries([
        ...changed.map((part) => [`:${part}`, number(change[part])]),
        ...reduced.map((part) => [`:least_${part}`, number(-change[part])]),
        [':one', number(1)],
      ]),
    },
  };
}

/** A balance that no sale has changed yet is empty. */
export const decodeBalance = (item: Item): SellerBalance =>
  Object.fromEntries(
    PARTS.map((part) => [part, item[part] === undefined ? 0n : readInteger(item, part)]),
  ) as unknown as SellerBalance;

/** A transaction is found by its time: its key is the ULID of its id. */
export const transactionItem = (id: string): string => `${TRANSACTION_PREFIX}${id.slice('txn_'.length)}`;

export const putTransaction = (table: string, transaction: EarningsTransaction): TransactWriteItem => {
  const { id, sellerId, type, amount, chargeId, created } = transaction;
  return putNew(table, {
    ...marketKey(sellerId, transactionItem(id)),
    type: text(type),
    amount: number(amount),
    ...(chargeId === undefined ? {} : { charge_id: text(chargeId) }),
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
    created: readNumber(item, 'created'),
  };
}

/** The seller's side of a purchase. */
export const recordSaleWrites = (table: string, sale: Sale): readonly TransactWriteItem[] => [
  putNew(table, encodeSale(sale)),
  changeBalance(table, sale.sellerId, recordSale(sale)),
  putTransaction(table, {
    id: sale.chargeId.replace(/^[a-z]+_/, 'txn_'),
    sellerId: sale.sellerId,
    type: 'sale',
    amount: proceedsOf(sale),
    chargeId: sale.chargeId,
    created: sale.created,
  }),
];

/** The writes of a change of a sale that was read before. */
export const changeSaleWrites = (
  table: string,
  before: Sale,
  { sale, change }: SaleChange,
): readonly TransactWriteItem[] => [
  replaceSale(table, before, sale),
  changeBalance(table, sale.sellerId, change),
];
