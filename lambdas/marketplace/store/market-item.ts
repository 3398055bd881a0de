/** Items of the table `market`: their keys, and the attributes by which those that wait for a time are found. */
import type { TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { TABLES } from '../../platform/contract/tables.ts';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';

export const [DUE_INDEX, BY_LISTING_INDEX] = TABLES.market.indexes;

export const marketKey = (ownerId: string, item: string): Item => ({
  owner_id: text(ownerId),
  item: text(item),
});

/** The write of an item that is not there yet. */
export const putNewItem = (table: string, item: Item): TransactWriteItem => ({
  Put: { TableName: table, Item: item, ConditionExpression: 'attribute_not_exists(owner_id)' },
});

/** The due items are spread over these partitions of their index; payouts are in one of their own. */
export const DUE_PARTITIONS = Array.from({ length: 8 }, (_, shard) => `due#${shard}`);

/** Ids differ in their last characters, whose sum spreads the items evenly. */
const partitionOf = (id: string): string => {
  const sum = [...id.slice(-8)].reduce((total, each) => total + each.charCodeAt(0), 0);
  return DUE_PARTITIONS[sum % DUE_PARTITIONS.length] ?? '';
};

/** Ten digits until the year 2286, so that the times sort as texts. */
export const dueTime = (seconds: number): string => String(seconds).padStart(10, '0');

/** The attributes that put an item into the index of what is due. */
export const dueAttributes = (id: string, dueAt: number): Item => ({
  [DUE_INDEX.partitionKey]: text(partitionOf(id)),
  [DUE_INDEX.sortKey]: text(dueTime(dueAt)),
});
