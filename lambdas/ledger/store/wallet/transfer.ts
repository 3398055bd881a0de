/** Moving credit between the shards of one wallet, in one transaction with the hold that it is moved for. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import { greatest, least, type NanoUsd } from '../../../platform/core/money.ts';
import { number, text } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import type { Hold } from '../../core/ports.ts';
import type { Shard } from './item.ts';
import { holdUpdate } from './shard.ts';

/** A shard with what it is to give. */
export interface TransferSource {
  readonly shard: Shard;
  readonly amount: NanoUsd;
}

/** Shards that one transaction may take from; it has room for 100 items (API reference, TransactWriteItems). */
const MAX_DONORS = 90;

/** Collects an amount from the richest shards first. Returns undefined if the shards of one transaction have less. */
export function collect(
  shards: readonly Shard[],
  targetAmount: NanoUsd,
): readonly TransferSource[] | undefined {
  const donors: TransferSource[] = [];
  let missing = targetAmount;
  for (const { shard, amount } of largestSources(shards)) {
    if (missing <= 0n) break;
    donors.push({ shard, amount: least(amount, missing) });
    missing -= amount;
  }
  return missing > 0n ? undefined : donors;
}

/** Returns the largest shards with their whole balance, as many as one transaction can update. */
export const largestSources = (shards: readonly Shard[]): readonly TransferSource[] =>
  shards
    .map((shard) => ({ shard, amount: shard.balance }))
    .filter(({ amount }) => amount > 0n)
    .toSorted((a, b) => (a.amount < b.amount ? 1 : -1))
    .slice(0, MAX_DONORS);

/**
 * Returns the transfer sources that cover a hold of a shard. They give the missing amount or, if larger, the shard's
 * share of the excess of the richest one. The shard therefore need not request credit again soon.
 */
export function chooseDonors(
  shards: readonly Shard[],
  { walletId, balance }: Shard,
  { amount }: Pick<Hold, 'amount'>,
): readonly TransferSource[] | undefined {
  const otherShards = shards.filter((shard) => shard.walletId !== walletId);
  const richest = otherShards.reduce((max, shard) => greatest(max, shard.balance), 0n);
  const share = (richest - balance) / BigInt(Math.max(2, shards[0]?.shards ?? 1));
  return collect(otherShards, greatest(share, amount - balance));
}

export class WalletTransfers {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Takes a hold on a shard with what others give to it; false when one of them has moved meanwhile. */
  hold(walletId: string, hold: Hold, donors: readonly TransferSource[]): Promise<boolean> {
    return this.receive(holdUpdate(this.#table, walletId, hold, sum(donors)), donors);
  }

  /** Moves what others give to a shard's balance; false when one of them has moved meanwhile. */
  move(walletId: string, donors: readonly TransferSource[]): Promise<boolean> {
    return this.receive(this.#change(walletId, sum(donors)), donors);
  }

  /** Makes an update of a shard with what others give to it; false when one of them has moved meanwhile. */
  async receive(
    update: NonNullable<TransactWriteItem['Update']>,
    donors: readonly TransferSource[],
  ): Promise<boolean> {
    const gives = donors.map(({ shard, amount }) => ({ Update: this.#change(shard.walletId, -amount) }));
    return (await transact(this.#client, [...gives, { Update: update }])).done;
  }

  /** Changes the balance of a shard by what it is given, or gives where that is below 0. */
  #change(walletId: string, by: NanoUsd) {
    return {
      TableName: this.#table,
      Key: { wallet_id: text(walletId) },
      UpdateExpression:
        'SET balance = balance + :by, received = received + :by, entries = if_not_exists(entries, :zero) + :one',
      ConditionExpression: 'balance >= :least',
      ExpressionAttributeValues: {
        ':by': number(by),
        ':least': number(greatest(-by, 0n)),
        ':zero': number(0),
        ':one': number(1),
      },
    };
  }
}

const sum = (donors: readonly TransferSource[]): NanoUsd =>
  donors.reduce((total, { amount }) => total + amount, 0n);
