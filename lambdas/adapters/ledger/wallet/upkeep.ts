/**
 * What the sweep does to wallets beside recovery: idle parts are merged into the first one, and the number of parts is
 * lowered. Safe to repeat, to race with calls and to interrupt.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { Clock } from '../../../core/ports.ts';
import { type Item, number, text } from '../../dynamodb/attribute-values.ts';
import { transact } from '../../dynamodb/transaction.ts';
import { indexOf, type Part, spentOn } from './item.ts';
import { WalletReads } from './reads.ts';
import { partsNeeded, shrinkParts } from './size.ts';

/** A part without a hold for so long is merged: by then its process has most likely ended. */
const IDLE_SECONDS = 600;

export class WalletUpkeep {
  readonly #client: DynamoDBClient;
  readonly #table: string;
  readonly #reads: WalletReads;
  readonly #clock: Clock;

  constructor(client: DynamoDBClient, table: string, clock: Clock) {
    this.#client = client;
    this.#table = table;
    this.#reads = new WalletReads(client, table);
    this.#clock = clock;
  }

  /** Merges the idle parts of one account. A part that moves meanwhile is left to the next sweep. */
  async tidy(accountId: string): Promise<void> {
    const [first, ...others] = await this.#reads.readAll(accountId);
    if (first === undefined || first.parts === 1) return;
    const nowSeconds = Math.floor(this.#clock() / 1000);
    const left: Part[] = [];
    for (const part of others) {
      const isIdle = part.holds.length === 0 && part.used < nowSeconds - IDLE_SECONDS;
      if (!isIdle || part.owed !== undefined || !(await this.#merge(first, part))) left.push(part);
    }
    const to = partsNeeded(left.map(({ walletId }) => indexOf(walletId)));
    await shrinkParts(this.#client, this.#table, accountId, { from: first.parts, to });
  }

  /** Moves everything that a part has into the first one and deletes it; false when it has moved since it was read. */
  async #merge(first: Part, part: Part): Promise<boolean> {
    const { walletId, balance, spent, received, entries, used, spentByDay } = part;
    const days = [...spentByDay];
    const { done } = await transact(this.#client, [
      {
        Delete: {
          ...this.#key(walletId),
          ConditionExpression:
            // A hold that cost nothing shows in `used` alone.
            'size(holds) = :zero AND balance = :balance AND spent = :spent AND received = :received AND attribute_not_exists(owed) AND (attribute_not_exists(entries) OR entries = :entries) AND (attribute_not_exists(used) OR used = :used)',
          ExpressionAttributeValues: {
            ':zero': number(0),
            ':entries': number(entries),
            ':used': number(used),
            ':balance': number(balance),
            ':spent': number(spent),
            ':received': number(received),
          },
        },
      },
      {
        Update: {
          ...this.#key(first.walletId),
          UpdateExpression: `SET ${[
            'balance = balance + :balance',
            'spent = if_not_exists(spent, :zero) + :spent',
            'received = received + :received',
            'entries = if_not_exists(entries, :zero) + :one',
            ...days.map((_, at) => `#day${at} = if_not_exists(#day${at}, :zero) + :day${at}`),
          ].join(', ')}`,
          ConditionExpression: 'attribute_exists(wallet_id)',
          ...(days.length === 0
            ? {}
            : {
                ExpressionAttributeNames: Object.fromEntries(
                  days.map(([day], at) => [`#day${at}`, spentOn(day)]),
                ),
              }),
          ExpressionAttributeValues: {
            ':balance': number(balance),
            ':spent': number(spent),
            ':received': number(received),
            ':zero': number(0),
            ':one': number(1),
            ...Object.fromEntries(days.map(([, cost], at) => [`:day${at}`, number(cost)])),
          },
        },
      },
    ]);
    return done;
  }

  #key(walletId: string): { readonly TableName: string; readonly Key: Item } {
    return { TableName: this.#table, Key: { wallet_id: text(walletId) } };
  }
}
