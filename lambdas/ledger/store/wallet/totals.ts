/**
 * The balance of a sharded wallet, for responses that show it. A read of every shard for each response would cost as
 * much as the call. The first shard therefore caches the total, and the first reader of a stale total reads all shards
 * and renews it.
 */
import type { DynamoDBClient, UpdateItemCommandInput } from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Clock } from '../../../platform/core/ports.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { updateItem } from '../../../platform/dynamodb/update-item.ts';
import { toWallet } from './item.ts';
import type { WalletReads } from './reads.ts';

/** To read so few costs less than to store their sum. */
const FEW_SHARDS = 8;

/**
 * The age from which a total is renewed. With the time of the renewal, no response shows a total that is older than 2
 * s.
 */
const MAX_AGE_MS = 1_000;
const LONGEST_AGE_MS = 1_800;

const MAX_WALLETS = 1_000;

interface Total {
  readonly balance: NanoUsd;
  readonly atMs: number;
}

export class WalletTotals {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #reads: WalletReads;
  readonly #clock: Clock;
  readonly #cache = new BoundedMap<string, Promise<Total>>(MAX_WALLETS);

  constructor(client: DynamoDBClient, table: string, reads: WalletReads, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#reads = reads;
    this.#clock = clock;
  }

  /** Returns the balance less the debt; at most 2 s old. 0 if there is no wallet. */
  async read(accountId: string): Promise<NanoUsd> {
    const cached = await this.#cache.get(accountId)?.catch(() => undefined);
    if (cached !== undefined && this.#clock() - cached.atMs < MAX_AGE_MS) return cached.balance;
    const total = this.#readTotal(accountId);
    this.#cache.set(accountId, total);
    return (await total).balance;
  }

  async #readTotal(accountId: string): Promise<Total> {
    const nowMs = this.#clock();
    const first = await this.#reads.read(accountId);
    if (first === undefined) return { balance: 0n, atMs: nowMs };
    const sum = async (): Promise<Total> => {
      const shards = first.shards === 1 ? [first] : await this.#reads.readRoughly(accountId, first.shards);
      return { balance: toWallet(accountId, shards).balance, atMs: nowMs };
    };
    if (first.shards <= FEW_SHARDS) return sum();
    const { total } = first;
    if (total !== undefined && nowMs - total.atMs < MAX_AGE_MS) return total;
    const mine = await this.#claim(accountId, nowMs);
    if (!mine && total !== undefined && nowMs - total.atMs < LONGEST_AGE_MS) return total;
    const { balance } = await sum();
    await this.#update(accountId, {
      UpdateExpression: 'SET #total = :balance, total_at = :now',
      ConditionExpression: 'attribute_not_exists(total_at) OR total_at < :now',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':balance': number(balance), ':now': number(nowMs) },
    });
    return { balance, atMs: nowMs };
  }

  /**
   * Returns whether this process renews the outdated sum. Only one of all processes renews it; the others show the old
   * one.
   */
  async #claim(accountId: string, nowMs: number): Promise<boolean> {
    const { applied } = await this.#update(accountId, {
      UpdateExpression: 'SET total_claim = :now',
      ConditionExpression: 'attribute_not_exists(total_claim) OR total_claim < :before',
      ExpressionAttributeValues: { ':now': number(nowMs), ':before': number(nowMs - MAX_AGE_MS) },
    });
    return applied;
  }

  #update(
    accountId: string,
    input: Pick<
      UpdateItemCommandInput,
      'UpdateExpression' | 'ConditionExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
    >,
  ) {
    const exists = `attribute_exists(wallet_id) AND (${input.ConditionExpression})`;
    const key = { TableName: this.#table, Key: { wallet_id: text(accountId) } };
    return updateItem(this.#client, { ...input, ...key, ConditionExpression: exists });
  }
}
