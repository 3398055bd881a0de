/** The operations on one shard of a wallet. Each is one conditional update that is safe to repeat. */
import { type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import { isSafeToRetry } from '../../../platform/core/transient.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { updateItem, type WriteResult } from '../../../platform/dynamodb/update-item.ts';
import type { Hold, HoldEnd } from '../../core/ports.ts';
import { dayOf, decodeShard, encodeHold, MAX_HOLDS, newAttempt, type Shard, spentOn } from './item.ts';

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_SENDS = 2;

type HoldOutcome =
  | 'granted'
  /** It has as many open holds as it may have. */
  | 'full'
  /** Its own balance does not cover the hold. */
  | 'insufficient'
  /** The account has a debt: credit was removed after it had been spent. */
  | 'in-debt'
  /** There is no such shard. */
  | 'absent'
  /** DynamoDB rejects writes to it for now: a transaction includes it, or it is throttled. */
  | 'contended';

export type ShardResult =
  | { readonly outcome: Exclude<HoldOutcome, 'absent' | 'contended'>; readonly shard: Shard }
  | { readonly outcome: 'absent' | 'contended'; readonly shard: undefined };

/**
 * Returns the update that places a hold on a shard, to which other shards add `given` in the same transaction. A call
 * without cost passes even if the account is in debt.
 */
export const holdUpdate = (table: string, walletId: string, hold: Hold, transferAmount: NanoUsd = 0n) => ({
  TableName: table,
  Key: { wallet_id: text(walletId) },
  UpdateExpression: `SET balance = balance + :change, holds.#id = :entry${
    transferAmount === 0n
      ? ''
      : ', entries = if_not_exists(entries, :zero) + :one, received = received + :given'
  }`,
  ConditionExpression: [
    'balance >= :least',
    'attribute_not_exists(holds.#id)',
    'size(holds) < :most',
    ...(hold.amount === 0n ? [] : ['attribute_not_exists(owed)']),
  ].join(' AND '),
  ExpressionAttributeNames: { '#id': hold.id },
  ExpressionAttributeValues: {
    ':change': number(transferAmount - hold.amount),
    ':least': number(greatest(hold.amount - transferAmount, 0n)),
    ':most': number(MAX_HOLDS),
    ':entry': encodeHold(hold),
    ...(transferAmount === 0n
      ? {}
      : { ':given': number(transferAmount), ':zero': number(0), ':one': number(1) }),
  },
});

export class WalletShards {
  readonly #client: DynamoDBClient;
  /** Sends each request once. */
  readonly #onceClient: DynamoDBClient;
  readonly #table: string;

  constructor({ client, onceClient }: DynamoClients, table: string) {
    this.#client = client;
    this.#onceClient = onceClient;
    this.#table = table;
  }

  /** Places a hold. Unless it `canWait`, it does not retry on a contended shard. */
  async hold(walletId: string, hold: Hold, canWait = true): Promise<ShardResult> {
    const result = await this.#sendHold(walletId, hold, canWait);
    if (result === 'contended') return { outcome: result, shard: undefined };
    if (result.item === undefined) return { outcome: 'absent', shard: undefined };
    const shard = decodeShard(result.item);
    // A request whose response was lost has left its hold, and it is ours.
    const isHeld = result.applied || shard.holds.some(({ id }) => id === hold.id);
    return { outcome: isHeld ? 'granted' : rejectionBy(shard, hold), shard };
  }

  /**
   * Sends the hold, and once more if no response arrived. Each request has a separate attempt id. A copy that reaches
   * the database after the settlement is therefore distinguished from the settled hold, and released.
   */
  async #sendHold(walletId: string, hold: Hold, canWait: boolean): Promise<WriteResult | 'contended'> {
    for (let sends = 1; ; sends += 1) {
      const update = {
        ...holdUpdate(this.#table, walletId, { ...hold, attempt: newAttempt() }),
        ReturnValues: 'ALL_NEW',
      } as const;
      try {
        return await updateItem(this.#onceClient, update, canWait ? undefined : 0);
      } catch (failure) {
        if (!canWait && isSafeToRetry(failure)) return 'contended';
        if (failure instanceof DynamoDBServiceException || sends === MAX_SENDS) throw failure;
      }
    }
  }

  /** Ends that hold. Returns the shard after it, or undefined if the shard has no such hold. */
  async end(walletId: string, end: HoldEnd): Promise<Shard | undefined> {
    const { id, amount, cost, recorded } = end;
    const isPaid = cost > 0n;
    const { applied, item } = await updateItem(this.#client, {
      TableName: this.#table,
      Key: { wallet_id: text(walletId) },
      UpdateExpression: `SET balance = balance + :refund${
        isPaid ? ', spent = spent + :cost, #day = if_not_exists(#day, :zero) + :cost' : ''
      } REMOVE holds.#id`,
      ConditionExpression: 'holds.#id = :entry',
      ExpressionAttributeNames: { '#id': id, ...(isPaid ? { '#day': spentOn(dayOf(recorded)) } : {}) },
      ExpressionAttributeValues: {
        ':refund': number(amount - cost),
        ':entry': encodeHold(end),
        ...(isPaid ? { ':cost': number(cost), ':zero': number(0) } : {}),
      },
      ReturnValues: 'ALL_NEW',
    });
    return applied && item !== undefined ? decodeShard(item) : undefined;
  }
}

/** Returns the reason why a shard, in the state that was read, rejected a hold. */
function rejectionBy({ debt, holds }: Shard, { amount }: Hold): 'full' | 'insufficient' | 'in-debt' {
  if (debt !== undefined && amount > 0n) return 'in-debt';
  return holds.length >= MAX_HOLDS ? 'full' : 'insufficient';
}
