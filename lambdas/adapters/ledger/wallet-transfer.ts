/** Moving money between the items of one wallet, in one transaction with the hold it is moved for. */
import {
  type DynamoDBClient,
  TransactionCanceledException,
  type TransactWriteItem,
  TransactWriteItemsCommand,
  type Update,
} from '@aws-sdk/client-dynamodb';
import { coverOf } from '../../core/ledger/exposure.ts';
import type { Hold } from '../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../core/money.ts';
import { number } from '../dynamodb/attribute-values.ts';
import { coverOfOthers, EXPOSED_AT_MOST, encodeHold, unlessOwing } from './wallet-item.ts';
import type { WalletShards } from './wallet-shard.ts';

/** What an item has to give, and the exposure of its own open holds that it must keep cover for, if any. */
export interface Donor {
  readonly walletId: string;
  readonly balance: NanoUsd;
  readonly exposure?: NanoUsd | undefined;
}

/** What one item gives. */
export interface Transfer extends Omit<Donor, 'balance'> {
  readonly amount: NanoUsd;
}

/** Collects `wanted` from the richest first; undefined when all together have less. */
export function collect(shards: readonly Donor[], wanted: NanoUsd): readonly Transfer[] | undefined {
  const transfers: Transfer[] = [];
  let missing = wanted;
  for (const { walletId, balance, exposure } of [...shards].sort((a, b) =>
    a.balance < b.balance ? 1 : -1,
  )) {
    if (missing <= 0n || balance <= 0n) break;
    const amount = balance < missing ? balance : missing;
    transfers.push({ walletId, amount, exposure });
    missing -= amount;
  }
  return missing > 0n ? undefined : transfers;
}

export class WalletTransfers {
  readonly #client: DynamoDBClient;
  readonly #shards: WalletShards;

  constructor(client: DynamoDBClient, shards: WalletShards) {
    this.#client = client;
    this.#shards = shards;
  }

  /**
   * Moves the transfers to an item, whose own open holds have at most that exposure, and takes a hold there; false
   * when any of the items has moved meanwhile.
   */
  async hold(
    { walletId, exposure }: { readonly walletId: string; readonly exposure: NanoUsd },
    hold: Hold,
    transfers: readonly Transfer[],
  ): Promise<boolean> {
    const given = sum(transfers);
    return this.#send(transfers, {
      ...this.#shards.key(walletId),
      UpdateExpression:
        'SET balance = balance + :change, holds.#id = :hold, exposure = if_not_exists(exposure, :zero) + :exposure',
      ConditionExpression: `balance >= :least AND attribute_not_exists(holds.#id)${unlessOwing(hold)} AND ${EXPOSED_AT_MOST}`,
      ExpressionAttributeNames: { '#id': hold.id },
      ExpressionAttributeValues: {
        ':change': number(given - hold.amount),
        ':least': number(greatest(coverOf(hold, exposure) - given, 0n)),
        ':others': number(exposure),
        ':exposure': number(hold.exposure),
        ':zero': number(0),
        ':hold': encodeHold(hold),
      },
    });
  }

  /** Moves the transfers into a hold of exactly that amount. */
  async grow(hold: Hold & { readonly walletId: string }, transfers: readonly Transfer[]): Promise<boolean> {
    return this.#send(transfers, {
      ...this.#shards.key(hold.walletId),
      UpdateExpression: 'SET holds.#id.amount = :grown',
      ConditionExpression: 'holds.#id.amount = :amount',
      ExpressionAttributeNames: { '#id': hold.id },
      ExpressionAttributeValues: {
        ':grown': number(hold.amount + sum(transfers)),
        ':amount': number(hold.amount),
      },
    });
  }

  /** Moves one transfer to another item's balance. */
  async move(transfer: Transfer, walletId: string): Promise<boolean> {
    return this.#send([transfer], {
      ...this.#shards.key(walletId),
      UpdateExpression: 'SET balance = balance + :amount',
      ConditionExpression: 'attribute_exists(wallet_id)',
      ExpressionAttributeValues: { ':amount': number(transfer.amount) },
    });
  }

  async #send(transfers: readonly Transfer[], target: Update): Promise<boolean> {
    const withdrawals = transfers.map(
      ({ walletId, amount, exposure }): TransactWriteItem => ({
        Update: {
          ...this.#shards.key(walletId),
          UpdateExpression: 'SET balance = balance - :amount',
          ConditionExpression: `balance >= :least${exposure === undefined ? '' : ` AND ${EXPOSED_AT_MOST}`}`,
          ExpressionAttributeValues: {
            ':amount': number(amount),
            ':least': number(amount + coverOfOthers(exposure ?? 0n)),
            ...(exposure === undefined ? {} : { ':others': number(exposure) }),
          },
        },
      }),
    );
    try {
      // The SDK gives the command a token, so that its own repetition is not a second transfer.
      await this.#client.send(
        new TransactWriteItemsCommand({ TransactItems: [...withdrawals, { Update: target }] }),
      );
      return true;
    } catch (failure) {
      if (failure instanceof TransactionCanceledException) return false;
      throw failure;
    }
  }
}

const sum = (transfers: readonly Transfer[]): NanoUsd =>
  transfers.reduce((total, { amount }) => total + amount, 0n);
