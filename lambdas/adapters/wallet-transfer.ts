/** Moving money between the items of one wallet, in one transaction with the hold it is moved for. */
import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
} from '@aws-sdk/client-dynamodb';
import type { Hold } from '../core/ledger/ports.ts';
import type { NanoUsd } from '../core/money.ts';
import { number } from './attribute-values.ts';
import { encodeHold, unlessOwing } from './wallet-item.ts';
import type { WalletShards } from './wallet-shard.ts';

/** What one item gives. */
export interface Donation {
  readonly walletId: string;
  readonly amount: NanoUsd;
}

/** Collects `wanted` from the richest first; undefined when all together have less. */
export function collect(
  shards: readonly { readonly walletId: string; readonly balance: NanoUsd }[],
  wanted: NanoUsd,
): readonly Donation[] | undefined {
  const donations: Donation[] = [];
  let missing = wanted;
  for (const { walletId, balance } of [...shards].sort((a, b) => (a.balance < b.balance ? 1 : -1))) {
    if (missing <= 0n || balance <= 0n) break;
    const amount = balance < missing ? balance : missing;
    donations.push({ walletId, amount });
    missing -= amount;
  }
  return missing > 0n ? undefined : donations;
}

export class WalletTransfers {
  readonly #client: DynamoDBClient;
  readonly #shards: WalletShards;

  constructor(client: DynamoDBClient, shards: WalletShards) {
    this.#client = client;
    this.#shards = shards;
  }

  /** Moves the donations to an item and takes a hold there; false when any of the items has moved meanwhile. */
  async hold(walletId: string, hold: Hold, donations: readonly Donation[]): Promise<boolean> {
    const change = sum(donations) - hold.amount;
    return this.#send(donations, {
      ...this.#shards.key(walletId),
      UpdateExpression: 'SET balance = balance + :change, holds.#id = :hold',
      ConditionExpression: `balance >= :least AND attribute_not_exists(holds.#id)${unlessOwing(hold)}`,
      ExpressionAttributeNames: { '#id': hold.id },
      ExpressionAttributeValues: {
        ':change': number(change),
        ':least': number(change < 0n ? -change : 0n),
        ':hold': encodeHold(hold),
      },
    });
  }

  /** Moves the donations into a hold of exactly that amount. */
  async grow(hold: Hold & { readonly walletId: string }, donations: readonly Donation[]): Promise<boolean> {
    return this.#send(donations, {
      ...this.#shards.key(hold.walletId),
      UpdateExpression: 'SET holds.#id.amount = :grown',
      ConditionExpression: 'holds.#id.amount = :amount',
      ExpressionAttributeNames: { '#id': hold.id },
      ExpressionAttributeValues: {
        ':grown': number(hold.amount + sum(donations)),
        ':amount': number(hold.amount),
      },
    });
  }

  /** Moves one donation to another item's balance. */
  async move(donation: Donation, walletId: string): Promise<boolean> {
    return this.#send([donation], {
      ...this.#shards.key(walletId),
      UpdateExpression: 'SET balance = balance + :amount',
      ConditionExpression: 'attribute_exists(wallet_id)',
      ExpressionAttributeValues: { ':amount': number(donation.amount) },
    });
  }

  async #send(donations: readonly Donation[], target: Update): Promise<boolean> {
    const gifts = donations.map(
      ({ walletId, amount }): TransactWriteItem => ({
        Update: {
          ...this.#shards.key(walletId),
          UpdateExpression: 'SET balance = balance - :amount',
          ConditionExpression: 'balance >= :amount',
          ExpressionAttributeValues: { ':amount': number(amount) },
        },
      }),
    );
    try {
      // The SDK gives the command a token, so that its own repetition is not a second transfer.
      await this.#client.send(
        new TransactWriteItemsCommand({ TransactItems: [...gifts, { Update: target }] }),
      );
      return true;
    } catch (failure) {
      if (failure instanceof TransactionCanceledException) return false;
      throw failure;
    }
  }
}

const sum = (donations: readonly Donation[]): NanoUsd =>
  donations.reduce((total, { amount }) => total + amount, 0n);
