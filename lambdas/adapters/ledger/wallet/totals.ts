/**
 * The balance of a wallet in parts, for answers that show it. Reading every part for each answer would cost as much as
 * the call, so the first part remembers the sum, and whoever finds it too old reads the parts once and renews it.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../../core/bounded-map.ts';
import type { NanoUsd } from '../../../core/money.ts';
import type { Clock } from '../../../core/ports.ts';
import { number, text } from '../../dynamodb/attribute-values.ts';
import { updateItem } from '../../dynamodb/update-item.ts';
import { toWallet } from './item.ts';
import { WalletReads } from './reads.ts';

/** A sum of this age is renewed; with the time to read and to answer, no answer shows one that is older than 2 s. */
const MAX_AGE_MS = 1_000;

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
  readonly #known = new BoundedMap<string, Promise<Total>>(MAX_WALLETS);

  constructor(client: DynamoDBClient, table: string, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#reads = new WalletReads(client, table);
    this.#clock = clock;
  }

  /** The balance, what is owed taken off; at most 2 s old. 0 when there is no wallet. */
  async read(accountId: string): Promise<NanoUsd> {
    const known = await this.#known.get(accountId)?.catch(() => undefined);
    if (known !== undefined && this.#clock() - known.atMs < MAX_AGE_MS) return known.balance;
    const total = this.#find(accountId);
    this.#known.set(accountId, total);
    return (await total).balance;
  }

  async #find(accountId: string): Promise<Total> {
    const first = await this.#reads.read(accountId);
    if (first === undefined) return { balance: 0n, atMs: this.#clock() };
    const { total } = first;
    if (first.parts === 1) return { balance: toWallet(accountId, [first]).balance, atMs: this.#clock() };
    if (total !== undefined && this.#clock() - total.atMs < MAX_AGE_MS) return total;
    const atMs = this.#clock();
    const { balance } = toWallet(accountId, await this.#reads.readAll(accountId));
    await updateItem(this.#client, {
      TableName: this.#table,
      Key: { wallet_id: text(accountId) },
      UpdateExpression: 'SET #total = :balance, total_at = :at',
      ConditionExpression:
        'attribute_exists(wallet_id) AND (attribute_not_exists(total_at) OR total_at < :at)',
      ExpressionAttributeNames: { '#total': 'total' },
      ExpressionAttributeValues: { ':balance': number(balance), ':at': number(atMs) },
    });
    return { balance, atMs };
  }
}
