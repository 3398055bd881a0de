/** The index of what is due, on DynamoDB. */
import { type DynamoDBClient, QueryCommand } from '@aws-sdk/client-dynamodb';
import { readText, text } from '../../platform/dynamodb/attribute-values.ts';
import type { DueItem, DueStore } from '../core/due.ts';
import { DUE_INDEX, dueTime, marketKey } from './market-item.ts';

const PAGE = 100;

export const createDueStore = (client: DynamoDBClient, table: string): DueStore => ({
  async due(partition, nowSeconds, after) {
    const { partitionKey, sortKey, name } = DUE_INDEX;
    const startKey =
      after === undefined
        ? undefined
        : {
            ...marketKey(after.ownerId, after.item),
            [partitionKey]: text(partition),
            [sortKey]: text(dueTime(after.dueAt)),
          };
    const { Items: items = [], LastEvaluatedKey: last } = await client.send(
      new QueryCommand({
        TableName: table,
        IndexName: name,
        KeyConditionExpression: '#shard = :shard AND #due <= :now',
        ExpressionAttributeNames: { '#shard': partitionKey, '#due': sortKey },
        ExpressionAttributeValues: { ':shard': text(partition), ':now': text(dueTime(nowSeconds)) },
        ...(startKey === undefined ? {} : { ExclusiveStartKey: startKey }),
        Limit: PAGE,
      }),
    );
    const decoded = items.map(
      (item): DueItem => ({
        ownerId: readText(item, 'owner_id'),
        item: readText(item, 'item'),
        dueAt: Number(readText(item, sortKey)),
      }),
    );
    return { items: decoded, next: last === undefined ? undefined : decoded.at(-1) };
  },
});
