/** Reading the shards of a wallet: one, or all of them as of one instant. */
import { isDeepStrictEqual } from 'node:util';
import {
  type DynamoDBClient,
  TransactGetItemsCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import { type Item, text } from '../../../platform/dynamodb/attribute-values.ts';
import { readItem, readMany } from '../../../platform/dynamodb/reads.ts';
import { decodeShard, indexOf, type Shard, shardId } from './item.ts';

/** Under heavy load some shard is always being written; then the last reading must do, and a transfer checks it again. */
const MAX_SNAPSHOTS = 3;

/** Bounds the memory: about 100 bytes an entry. */
const MAX_WALLETS = 1_000;

export class WalletReads {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  /** The number of shards of each wallet, as last read from its first shard. */
  readonly #counts = new BoundedMap<string, number>(MAX_WALLETS);

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  async read(walletId: string): Promise<Shard | undefined> {
    const item = await readItem(this.#client, { TableName: this.#table, Key: keyOf(walletId) });
    return item && this.decode(item);
  }

  /** Returns a shard that was read or written, and notes how many there are if it is the first. */
  decode(item: Item): Shard {
    const shard = decodeShard(item);
    if (indexOf(shard.walletId) === 0) this.cacheCount(shard.walletId, shard.shards);
    return shard;
  }

  countOf(accountId: string): number {
    return this.#counts.get(accountId) ?? 1;
  }

  cacheCount(accountId: string, count: number): void {
    this.#counts.set(accountId, count);
  }

  /** Every shard of the account's wallet, the first one first; none when there is no wallet. */
  async readAll(accountId: string): Promise<readonly Shard[]> {
    const first = await this.read(accountId);
    if (first === undefined) return [];
    if (first.shards === 1) return [first];
    const walletIds = Array.from({ length: first.shards }, (_, index) => shardId(accountId, index));
    const shards = await this.#snapshot(walletIds);
    // More shards may have been created since.
    const [again = first] = shards;
    return again.shards === first.shards ? shards : this.readAll(accountId);
  }

  /** Every shard, each as it was within the last second; eventually consistent, at half the units. */
  async readRoughly(accountId: string, count: number): Promise<readonly Shard[]> {
    const walletIds = Array.from({ length: count }, (_, index) => shardId(accountId, index));
    return this.#readEach(walletIds, false);
  }

  /**
   * Reads several shards as of one instant, so that money in transfer is counted in exactly one of them. Leaves out
   * shards that do not exist. A concurrent write to any of them cancels the read. After a few attempts, they are read one
   * by one until two consecutive reads agree.
   */
  async #snapshot(walletIds: readonly string[]): Promise<readonly Shard[]> {
    for (let attempts = 0; attempts < MAX_SNAPSHOTS; attempts += 1) {
      try {
        const reads = walletIds.map((id) => ({ Get: { TableName: this.#table, Key: keyOf(id) } }));
        const { Responses: responses = [] } = await this.#client.send(
          new TransactGetItemsCommand({ TransactItems: reads }),
        );
        return responses.flatMap(({ Item: item }) => (item === undefined ? [] : [decodeShard(item)]));
      } catch (failure) {
        if (!(failure instanceof TransactionCanceledException)) throw failure;
      }
    }
    let before = await this.#readEach(walletIds);
    for (let attempts = 0; attempts < MAX_SNAPSHOTS; attempts += 1) {
      const after = await this.#readEach(walletIds);
      if (isDeepStrictEqual(before, after)) return after;
      before = after;
    }
    return before;
  }

  async #readEach(walletIds: readonly string[], consistent = true): Promise<readonly Shard[]> {
    const items = await readMany(this.#client, this.#table, walletIds.map(keyOf), consistent);
    const itemsById = new Map(items.map((item) => [item.wallet_id?.S, item]));
    return walletIds.flatMap((id) => {
      const item = itemsById.get(id);
      return item === undefined ? [] : [decodeShard(item)];
    });
  }
}

const keyOf = (walletId: string): Item => ({ wallet_id: text(walletId) });
