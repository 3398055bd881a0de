/** Deliveries in DynamoDB: one conditional update starts an attempt, one ends it. */
import { type DynamoDBClient, QueryCommand, type UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import type { Page } from '../../platform/core/api/paging.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { type Item, number, readNumber, text } from '../../platform/dynamodb/attribute-values.ts';
import { readItem } from '../../platform/dynamodb/reads.ts';
import { putItem, updateItem, type WriteResult } from '../../platform/dynamodb/update-item.ts';
import { type Delivery, MAX_LOGGED_ATTEMPTS } from '../core/delivery.ts';
import type {
  AttemptEnd,
  ClaimRequest,
  ClaimResult,
  DeliveryKey,
  DeliveryQuery,
  DeliveryStore,
} from '../core/ports.ts';
import { decodeDelivery, encodeAttempt, encodeDelivery } from './delivery-item.ts';

/** No attempt is in flight, or its claim has ended. */
const FREE = '(attribute_not_exists(claimed_until) OR claimed_until < :now)';

export class DynamoDeliveryStore implements DeliveryStore {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, table: string, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#clock = clock;
  }

  async create(delivery: Delivery): Promise<Delivery> {
    const existingItem = await putItem(this.#client, {
      TableName: this.#table,
      Item: encodeDelivery(delivery),
      ConditionExpression: 'attribute_not_exists(delivery_id)',
    });
    return existingItem === undefined ? delivery : decodeDelivery(existingItem);
  }

  async get(key: DeliveryKey): Promise<Delivery | undefined> {
    const item = await readItem(this.#client, this.#keyOf(key));
    return item === undefined || readNumber(item, 'expires') <= this.#now()
      ? undefined
      : decodeDelivery(item);
  }

  async list({ webhookId, limit, order, after }: DeliveryQuery): Promise<Page<Delivery>> {
    const { Items: items = [], LastEvaluatedKey: last } = await this.#client.send(
      new QueryCommand({
        TableName: this.#table,
        KeyConditionExpression: 'webhook_id = :webhook',
        // Expired ones count as absent, though DynamoDB deletes them later.
        FilterExpression: 'expires > :now',
        ExpressionAttributeValues: { ':webhook': text(webhookId), ':now': number(this.#now()) },
        ScanIndexForward: order === 'oldest',
        ConsistentRead: true,
        // One item beyond the page shows whether there is another page.
        Limit: limit + 1,
        ...(after === undefined ? {} : { ExclusiveStartKey: this.#keyOf({ webhookId, id: after }).Key }),
      }),
    );
    const entries = items.slice(0, limit).map(decodeDelivery);
    // A page of 1 MB ends before the limit does; then the database returns where.
    return { entries, next: items.length > limit ? entries.at(-1)?.id : last?.delivery_id?.S };
  }

  claim(key: DeliveryKey, { attempt, claim, nowMs }: ClaimRequest): Promise<ClaimResult> {
    return this.#writeClaim(key, claim.id, {
      UpdateExpression: 'SET claim_id = :claim, claimed_until = :until',
      ConditionExpression: `#status = :pending AND attempts = :ended AND ${FREE}`,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':claim': text(claim.id),
        ':until': number(claim.untilMs),
        ':pending': text('pending'),
        ':ended': number(attempt - 1),
        ':now': number(nowMs),
      },
    });
  }

  revive(delivery: Delivery, { claim, nowMs }: ClaimRequest, deadlineMs: number): Promise<ClaimResult> {
    return this.#writeClaim(delivery, claim.id, {
      UpdateExpression:
        'SET claim_id = :claim, claimed_until = :until, #status = :pending, deadline = :deadline, ' +
        'round_start = attempts REMOVE dead_reason',
      ConditionExpression: `#status = :found AND attempts = :ended AND ${FREE}`,
      ExpressionAttributeNames: { '#status': 'status' },
      ExpressionAttributeValues: {
        ':claim': text(claim.id),
        ':until': number(claim.untilMs),
        ':pending': text('pending'),
        ':deadline': number(deadlineMs),
        ':found': text(delivery.status),
        ':ended': number(delivery.attempts),
        ':now': number(nowMs),
      },
    });
  }

  async end(delivery: Delivery, { claim, attempt, status, deadReason, dueMs }: AttemptEnd): Promise<void> {
    const log = attempt === undefined ? delivery.log : [...delivery.log, attempt].slice(-MAX_LOGGED_ATTEMPTS);
    const values: Item = {
      '#status': text(status),
      '#log': { L: log.map(encodeAttempt) },
      ...(attempt === undefined ? {} : { '#attempts': number(attempt.number) }),
      ...(deadReason === undefined ? {} : { '#dead_reason': text(deadReason) }),
      ...(dueMs === undefined ? {} : { '#due': number(dueMs) }),
    };
    const names = Object.keys(values);
    const valueName = (name: string) => name.replace('#', ':');
    await this.#update(delivery, {
      UpdateExpression: `SET ${names.map((name) => `${name} = ${valueName(name)}`).join(', ')} REMOVE claim_id, claimed_until`,
      ConditionExpression: 'claim_id = :claim',
      ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, name.slice(1)])),
      ExpressionAttributeValues: {
        ...Object.fromEntries(Object.entries(values).map(([name, value]) => [valueName(name), value])),
        ':claim': text(claim.id),
      },
    });
  }

  /**
   * Claims the delivery. The SDK retries a request whose response was lost: then the claim already exists, and it is ours.
   */
  async #writeClaim(key: DeliveryKey, claimId: string, command: Update): Promise<ClaimResult> {
    const { applied, item } = await this.#update(key, command);
    return {
      granted: applied || item?.claim_id?.S === claimId,
      delivery: item === undefined ? undefined : decodeDelivery(item),
    };
  }

  #update(key: DeliveryKey, command: Update): Promise<WriteResult> {
    return updateItem(this.#client, { ...this.#keyOf(key), ...command, ReturnValues: 'ALL_NEW' });
  }

  #now(): number {
    return Math.floor(this.#clock() / 1000);
  }

  #keyOf({ webhookId, id }: DeliveryKey) {
    return { TableName: this.#table, Key: { webhook_id: text(webhookId), delivery_id: text(id) } };
  }
}

type Update = Omit<UpdateItemCommandInput, 'TableName' | 'Key'>;
