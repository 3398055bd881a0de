/** Subscriptions in DynamoDB, without their secrets. */
import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { type Item, number, text } from '../../platform/dynamodb/attribute-values.ts';
import { giveBack } from '../../platform/dynamodb/quota-item.ts';
import { queryPage, readItem } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import type {
  SubscriptionChanges,
  SubscriptionHealth,
  SubscriptionKey,
  SubscriptionStore,
} from '../core/ports.ts';
import type { DisabledReason, Subscription } from '../core/subscription.ts';
import { decodeSubscription, encodeEvents, webhookCountKey } from './subscription-item.ts';

export class DynamoSubscriptionStore implements SubscriptionStore, SubscriptionHealth {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async get(key: SubscriptionKey): Promise<Subscription | undefined> {
    const item = await readItem(this.#client, this.#keyOf(key));
    return item === undefined ? undefined : decodeSubscription(item);
  }

  list({ accountId, limit, after }: Parameters<SubscriptionStore['list']>[0]) {
    return queryPage(
      this.#client,
      {
        TableName: this.#table,
        KeyConditionExpression: 'account_id = :account',
        ExpressionAttributeValues: { ':account': text(accountId) },
        ...(after === undefined ? {} : { ExclusiveStartKey: this.#keyOf({ accountId, id: after }).Key }),
        ConsistentRead: true,
        Limit: limit,
      },
      decodeSubscription,
      ({ id }) => id,
    );
  }

  /** Returns the changed subscription; undefined when there is none. A new URL or status clears past failures. */
  async update(key: SubscriptionKey, changes: SubscriptionChanges): Promise<Subscription | undefined> {
    const { url, events, description, status } = changes;
    const values: Item = {
      ...(url === undefined ? {} : { url: text(url) }),
      ...(events === undefined ? {} : { events: encodeEvents(events) }),
      ...(description === undefined ? {} : { description: text(description) }),
      ...(status === undefined ? {} : { status: text(status) }),
      ...(status === 'disabled' ? { disabled_reason: text('owner') } : {}),
    };
    const forgotten = [
      ...(url === undefined && status !== 'active' ? [] : ['failing_since']),
      ...(status === 'active' ? ['disabled_reason'] : []),
    ];
    const names = Object.keys(values);
    if (names.length === 0) return this.get(key);
    const remove = forgotten.length === 0 ? '' : ` REMOVE ${forgotten.map((name) => `#${name}`).join(', ')}`;
    const item = await this.#update(key, {
      UpdateExpression: `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}${remove}`,
      ConditionExpression: 'attribute_exists(webhook_id)',
      ExpressionAttributeNames: Object.fromEntries(
        [...names, ...forgotten].map((name) => [`#${name}`, name]),
      ),
      ExpressionAttributeValues: Object.fromEntries(
        names.map((name) => [`:${name}`, values[name] ?? text('')]),
      ),
    });
    return item === undefined ? undefined : decodeSubscription(item);
  }

  /** False when there was none. */
  async remove(key: SubscriptionKey): Promise<boolean> {
    const remove = { ...this.#keyOf(key), ConditionExpression: 'attribute_exists(webhook_id)' };
    const count = { TableName: this.#table, Key: webhookCountKey(key.accountId) };
    return (await transact(this.#client, [{ Delete: remove }, giveBack(count)])).done;
  }

  async markFailing(subscription: Subscription, nowMs: number): Promise<void> {
    await this.#update(subscription, {
      UpdateExpression: 'SET failing_since = if_not_exists(failing_since, :now)',
      ConditionExpression: '#url = :url',
      ExpressionAttributeNames: { '#url': 'url' },
      ExpressionAttributeValues: { ':now': number(nowMs), ':url': text(subscription.url) },
    });
  }

  async markHealthy(subscription: Subscription): Promise<void> {
    await this.#update(subscription, {
      UpdateExpression: 'REMOVE failing_since',
      ConditionExpression: '#url = :url',
      ExpressionAttributeNames: { '#url': 'url' },
      ExpressionAttributeValues: { ':url': text(subscription.url) },
    });
  }

  async disable(subscription: Subscription, reason: DisabledReason, notice: string): Promise<boolean> {
    const { failingSinceMs, url } = subscription;
    // A receiver that has responded since is not failing; one that reports itself as gone need not have failed before.
    const still = reason === 'failing' ? ' AND failing_since = :since' : '';
    const item = await this.#update(subscription, {
      UpdateExpression: 'SET #status = :disabled, disabled_reason = :reason, notice = :notice',
      ConditionExpression: `#url = :url AND #status = :active${still}`,
      ExpressionAttributeNames: { '#url': 'url', '#status': 'status' },
      ExpressionAttributeValues: {
        ':url': text(url),
        ':active': text('active'),
        ':disabled': text('disabled'),
        ':reason': text(reason),
        ':notice': text(notice),
        ...(still === '' ? {} : { ':since': number(failingSinceMs ?? 0) }),
      },
    });
    return item !== undefined;
  }

  async clearNotice(subscription: Subscription, notice: string): Promise<void> {
    await this.#update(subscription, {
      UpdateExpression: 'REMOVE notice',
      ConditionExpression: 'notice = :notice',
      ExpressionAttributeValues: { ':notice': text(notice) },
    });
  }

  /** The new item; undefined when the condition does not hold. */
  async #update(
    key: SubscriptionKey,
    command: Omit<UpdateItemCommandInput, 'TableName' | 'Key'>,
  ): Promise<Item | undefined> {
    const { applied, item } = await updateItem(this.#client, {
      ...this.#keyOf(key),
      ...command,
      ReturnValues: 'ALL_NEW',
    });
    return applied ? item : undefined;
  }

  #keyOf({ accountId, id }: SubscriptionKey) {
    return { TableName: this.#table, Key: { account_id: text(accountId), webhook_id: text(id) } };
  }
}
