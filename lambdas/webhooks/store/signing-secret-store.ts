/** Signing secrets in their subscriptions' items, sealed under the webhook key. */
import { randomBytes } from 'node:crypto';
import { type DynamoDBClient, PutItemCommand, paginateScan } from '@aws-sdk/client-dynamodb';
import { type Item, text } from '../../platform/dynamodb/attribute-values.ts';
import { countOne } from '../../platform/dynamodb/quota-item.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { transact } from '../../platform/dynamodb/transaction.ts';
import { updateItem } from '../../platform/dynamodb/update-item.ts';
import type { SigningSecretStore, SubscriptionKey } from '../core/ports.ts';
import { SECRET_PREFIX, SIGNING_SECRET_BYTES } from '../core/signature.ts';
import { MAX_REPLACED_SECRETS, type Subscription } from '../core/subscription.ts';
import {
  decodeSubscription,
  encodeReplaced,
  encodeSubscription,
  sealedSecrets,
  webhookCountKey,
} from './subscription-item.ts';
import type { Sealer } from './webhook-keys.ts';

const PURPOSE = 'uis-webhook-secret-1';

/** `whsec_` and base64, as Standard Webhooks writes them. */
export const newSigningSecret = (): string =>
  `${SECRET_PREFIX}${randomBytes(SIGNING_SECRET_BYTES).toString('base64')}`;

export class DynamoSigningSecretStore implements SigningSecretStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #sealer: Sealer;

  constructor(client: DynamoDBClient, table: string, sealer: Sealer) {
    this.#client = client;
    this.#table = table;
    this.#sealer = sealer;
  }

  /** Stores a new subscription; `full` when its account has `max` already. */
  async create(subscription: Subscription, secret: string, max: number): Promise<'created' | 'full'> {
    const sealed = await this.#sealer.seal(PURPOSE, sealedId(subscription), secret);
    const item = { ...encodeSubscription(subscription), secret: { B: sealed } };
    const count = { TableName: this.#table, Key: webhookCountKey(subscription.accountId) };
    const put = { Put: { TableName: this.#table, Item: item } };
    return (await transact(this.#client, [put, countOne(count, max)])).done ? 'created' : 'full';
  }

  /** Stores a subscription in the place of the present one; no quota counts it. */
  async replace(subscription: Subscription, secret: string): Promise<void> {
    const sealed = await this.#sealer.seal(PURPOSE, sealedId(subscription), secret);
    const item = { ...encodeSubscription(subscription), secret: { B: sealed } };
    await this.#client.send(new PutItemCommand({ TableName: this.#table, Item: item }));
  }

  async open(key: SubscriptionKey, nowMs: number) {
    const item = await this.#read(key);
    if (item === undefined) return undefined;
    const { current, replaced } = sealedSecrets(item);
    const active = [
      current,
      ...replaced.filter(({ until }) => until * 1000 > nowMs).map(({ sealed }) => sealed),
    ];
    const open = (sealed: Uint8Array) => this.#sealer.open(PURPOSE, sealedId(key), sealed);
    return { subscription: decodeSubscription(item), secrets: await Promise.all(active.map(open)) };
  }

  /** Makes a new secret the current one; the old one also signs until `until` (seconds since the epoch). */
  async rotate(
    key: SubscriptionKey,
    secret: string,
    { nowMs, until }: { readonly nowMs: number; readonly until: number },
  ): Promise<'rotated' | 'conflict' | 'absent'> {
    const item = await this.#read(key);
    if (item === undefined) return 'absent';
    const { current, replaced } = sealedSecrets(item);
    const stillSigning = replaced.filter((one) => one.until * 1000 > nowMs);
    if (stillSigning.length >= MAX_REPLACED_SECRETS) return 'conflict';
    const sealed = await this.#sealer.seal(PURPOSE, sealedId(key), secret);
    const { applied } = await updateItem(this.#client, {
      ...this.#keyOf(key),
      UpdateExpression: 'SET secret = :new, replaced = :replaced',
      // The second half lets the SDK retry a request whose response was lost.
      ConditionExpression: 'secret = :old OR secret = :new',
      ExpressionAttributeValues: {
        ':new': { B: sealed },
        ':old': { B: current },
        ':replaced': encodeReplaced([{ sealed: current, until }, ...stillSigning]),
      },
    });
    return applied ? 'rotated' : 'conflict';
  }

  /**
   * Seals the secrets of every subscription under the current key, so that the previous one can be left out. Returns how many
   * subscriptions have it now, and the ids of those that no key opens or that changed meanwhile. Safe to repeat.
   */
  async sealAgain(): Promise<{ readonly sealed: number; readonly failed: readonly string[] }> {
    const failed: string[] = [];
    let sealed = 0;
    const query = {
      TableName: this.#table,
      ConsistentRead: true,
      FilterExpression: 'attribute_exists(secret)',
    };
    for await (const { Items: items = [] } of paginateScan({ client: this.#client }, query))
      for (const item of items) {
        const { id } = decodeSubscription(item);
        const isSealed = await this.#sealItem(item).catch(() => false);
        if (isSealed) sealed += 1;
        else failed.push(id);
      }
    return { sealed, failed };
  }

  async #sealItem(item: Item): Promise<boolean> {
    const subscription = decodeSubscription(item);
    const { current, replaced } = sealedSecrets(item);
    const again = async (sealed: Uint8Array) => {
      const secret = await this.#sealer.open(PURPOSE, sealedId(subscription), sealed);
      return this.#sealer.seal(PURPOSE, sealedId(subscription), secret);
    };
    const others = await Promise.all(
      replaced.map(async ({ sealed, until }) => ({ sealed: await again(sealed), until })),
    );
    const { applied } = await updateItem(this.#client, {
      ...this.#keyOf(subscription),
      UpdateExpression: 'SET secret = :new, replaced = :replaced',
      // Who rotates a secret meanwhile has sealed it under the current key, but not the one before it.
      ConditionExpression: 'secret = :old',
      ExpressionAttributeValues: {
        ':new': { B: await again(current) },
        ':old': { B: current },
        ':replaced': encodeReplaced(others),
      },
    });
    return applied;
  }

  async #read(key: SubscriptionKey): Promise<Item | undefined> {
    return readItem(this.#client, this.#keyOf(key));
  }

  #keyOf({ accountId, id }: SubscriptionKey) {
    return { TableName: this.#table, Key: { account_id: text(accountId), webhook_id: text(id) } };
  }
}

/** A secret opens in its own subscription's item only. */
const sealedId = ({ accountId, id }: SubscriptionKey): string => `${accountId}/${id}`;
