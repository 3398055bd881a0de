/**
 * Usage beyond the bounds of calls in DynamoDB: one item per route, next to its circuits. An item expires after a month
 * without additions.
 */
import { type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../platform/core/ports.ts';
import {
  number,
  readDecimal,
  readInteger,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import type { UnbilledOfRoute, UnbilledStore } from '../../core/ports.ts';
import type { UnbilledUsage } from '../../core/usage-record.ts';

/** No route has an id with this sign. */
const PREFIX = 'unbilled#';

const TTL_SECONDS = 30 * 86_400;

export class DynamoUnbilledStore implements UnbilledStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, table: string, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#clock = clock;
  }

  async add(route: string, { amount, factor }: UnbilledUsage): Promise<void> {
    const key = { TableName: this.#table, Key: { route_id: text(PREFIX + route) } };
    await updateItem(this.#client, {
      ...key,
      UpdateExpression: 'SET expires = :expires ADD calls :one, amount :amount',
      ExpressionAttributeValues: {
        ':expires': number(Math.floor(this.#clock() / 1000) + TTL_SECONDS),
        ':one': number(1),
        ':amount': number(amount),
      },
    });
    await updateItem(this.#client, {
      ...key,
      UpdateExpression: 'SET factor = :factor',
      ConditionExpression: 'attribute_not_exists(factor) OR factor < :factor',
      ExpressionAttributeValues: { ':factor': number(factor) },
    });
  }

  async list(): Promise<readonly UnbilledOfRoute[]> {
    const routes: UnbilledOfRoute[] = [];
    const pages = paginateScan(
      { client: this.#client },
      {
        TableName: this.#table,
        FilterExpression: 'begins_with(route_id, :prefix)',
        ExpressionAttributeValues: { ':prefix': text(PREFIX) },
      },
    );
    for await (const { Items = [] } of pages)
      for (const item of Items)
        routes.push({
          route: readText(item, 'route_id').slice(PREFIX.length),
          calls: readNumber(item, 'calls'),
          amount: readInteger(item, 'amount'),
          factor: item.factor === undefined ? 1 : readDecimal(item, 'factor'),
        });
    return routes;
  }
}
