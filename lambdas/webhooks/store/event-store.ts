/** Published events in DynamoDB: each taken in once, its data sealed, and gone after its time. */
import { type DynamoDBClient, UpdateItemCommand } from '@aws-sdk/client-dynamodb';
import * as z from 'zod';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem } from '../../platform/dynamodb/update-item.ts';
import { systemClock } from '../../platform/system/system.ts';
import { RETENTION_SECONDS } from '../core/delivery.ts';
import { EVENT_TYPES, type PlatformEvent, type StoredEvent } from '../core/event.ts';
import type { EventStore } from '../core/ports.ts';
import { createWebhookSealer, type Sealer, type WebhookKeyOptions } from './webhook-keys.ts';

const PURPOSE = 'uis-event-1';

const type = z.enum(EVENT_TYPES);
const data = z.record(z.string(), z.unknown());

/** Ids are unique within an account; account ids hold no `#`. */
const keyOf = (accountId: string, eventId: string): string => `${accountId}#${eventId}`;

export class DynamoEventStore implements EventStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #sealer: Sealer;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, table: string, sealer: Sealer, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#sealer = sealer;
    this.#clock = clock;
  }

  async put(event: PlatformEvent, receivedMs: number): Promise<StoredEvent> {
    const key = keyOf(event.accountId, event.id);
    const item: Item = {
      event_key: text(key),
      account_id: text(event.accountId),
      event_id: text(event.id),
      type: text(event.type),
      created: text(event.created),
      received: number(receivedMs),
      data: { B: await this.#sealer.seal(PURPOSE, key, JSON.stringify(event.data)) },
      expires: number(Math.floor(receivedMs / 1000) + RETENTION_SECONDS),
    };
    const existingItem = await putItem(this.#client, {
      TableName: this.#table,
      Item: item,
      ConditionExpression: 'attribute_not_exists(event_key) OR expires <= :now',
      ExpressionAttributeValues: { ':now': number(Math.floor(receivedMs / 1000)) },
    });
    return existingItem === undefined
      ? { ...event, receivedMs, fannedOut: false }
      : this.#decode(existingItem);
  }

  async get(accountId: string, eventId: string): Promise<StoredEvent | undefined> {
    const item = await readItem(this.#client, this.#item(accountId, eventId));
    const isRetained = item !== undefined && readNumber(item, 'expires') > this.#clock() / 1000;
    return isRetained ? this.#decode(item) : undefined;
  }

  async markFannedOut({ accountId, id }: StoredEvent): Promise<void> {
    await this.#client.send(
      new UpdateItemCommand({
        ...this.#item(accountId, id),
        UpdateExpression: 'SET fanned_out = :yes',
        ExpressionAttributeValues: { ':yes': { BOOL: true } },
      }),
    );
  }

  async #decode(item: Item): Promise<StoredEvent> {
    const sealed = item.data?.B;
    if (sealed === undefined) throw new Error('attribute data is not binary');
    const opened = await this.#sealer.open(PURPOSE, readText(item, 'event_key'), sealed);
    return {
      accountId: readText(item, 'account_id'),
      id: readText(item, 'event_id'),
      type: type.parse(item.type?.S),
      created: readText(item, 'created'),
      data: data.parse(JSON.parse(opened)),
      receivedMs: readNumber(item, 'received'),
      fannedOut: item.fanned_out?.BOOL === true,
    };
  }

  #item(accountId: string, eventId: string) {
    return { TableName: this.#table, Key: { event_key: text(keyOf(accountId, eventId)) } };
  }
}

/** Over the table and the key that the environment names. */
export function createEventStore(client: DynamoDBClient, options: WebhookKeyOptions): EventStore {
  const table = requireTable(options.environment, 'events');
  return new DynamoEventStore(client, table, createWebhookSealer(options), systemClock);
}
