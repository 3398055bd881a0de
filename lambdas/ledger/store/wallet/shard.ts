/** The writes of the shards of a wallet: each changes a hold or lease with the balance, or moves credit. */
import type { AttributeValue, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import { number } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { updateItem, type WriteResult } from '../../../platform/dynamodb/update-item.ts';
import type { Hold, HoldEnd, WalletLeaseWrite } from '../../core/ports.ts';
import { dayOf, encodeHold, encodeLeaseHold, MAX_HOLDS, spentOn } from './item.ts';
import type { TransferSource } from './transfer.ts';
import { shardUpdate } from './update.ts';

/** A change of a hold or lease, and of the balance of its shard. */
export interface EntryChange {
  readonly walletId: string;
  /** The id of the hold or lease. */
  readonly id: string;
  /** The change applies only to exactly this entry; undefined if there must be none. */
  readonly from: AttributeValue | undefined;
  /** Undefined if the entry ends. */
  readonly to: AttributeValue | undefined;
  /** The credit that leaves the balance; less than 0 if credit returns. An account in debt has none. */
  readonly amount: NanoUsd;
  /** The costs that are charged, by the attribute of their day. */
  readonly costs?: Readonly<Record<string, NanoUsd>>;
  /** The shard must have fewer entries. */
  readonly maxEntries?: number;
}

/** Returns the change that places a hold. A call without cost passes even if the account is in debt. */
export const holdChange = (walletId: string, hold: Hold, maxEntries = MAX_HOLDS): EntryChange => ({
  walletId,
  id: hold.id,
  from: undefined,
  to: encodeHold(hold),
  amount: hold.amount,
  maxEntries,
});

/** Returns the change that ends that hold. Its cost stays, and the remainder returns. */
export const holdEndChange = (walletId: string, end: HoldEnd): EntryChange => ({
  walletId,
  id: end.id,
  from: encodeHold(end),
  to: undefined,
  amount: end.cost - end.amount,
  costs: { [spentOn(dayOf(end.recorded))]: end.cost },
});

/** Returns the change of a lease. Its entry is written as a whole. */
export const leaseChange = ({ from, to, ...write }: WalletLeaseWrite): EntryChange => ({
  walletId: write.walletId,
  id: write.leaseId,
  from: from && encodeLeaseHold(from),
  to: to && encodeLeaseHold(to),
  amount: write.change,
  costs: Object.fromEntries(write.costs.map((cost, at) => [spentOn(write.day + at), cost])),
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

  /** Changes an entry with the credit of its shard alone. A change that opens one is sent once. */
  change(change: EntryChange, maxThrottles?: number): Promise<WriteResult> {
    const client = change.from === undefined ? this.#onceClient : this.#client;
    return updateItem(client, { ...this.#updateOf(change), ReturnValues: 'ALL_NEW' }, maxThrottles);
  }

  /** Changes an entry with what others give to its shard; false when one of them has moved meanwhile. */
  async changeWith(change: EntryChange, donors: readonly TransferSource[]): Promise<boolean> {
    const given = donors.reduce((total, { amount }) => total + amount, 0n);
    const gives = donors.map(({ shard: { walletId }, amount }) => ({
      Update: shardUpdate(this.#table, walletId, { add: transferOf(-amount), minBalance: amount }),
    }));
    return (await transact(this.#client, [...gives, { Update: this.#updateOf(change, given) }])).done;
  }

  #updateOf({ walletId, id, from, to, amount, costs = {}, maxEntries }: EntryChange, given = 0n) {
    return shardUpdate(this.#table, walletId, {
      entryId: id,
      add: {
        ...transferOf(given),
        balance: given - amount,
        spent: Object.values(costs).reduce((total, cost) => total + cost, 0n),
        ...costs,
      },
      set: { 'holds.#entry': to },
      expected: { 'holds.#entry': from, ...(amount > 0n ? { owed: undefined } : {}) },
      ...(amount > 0n ? { minBalance: greatest(amount - given, 0n) } : {}),
      ...(maxEntries === undefined
        ? {}
        : { conditions: ['size(holds) < :most'], values: { ':most': number(maxEntries) } }),
    });
  }
}

/** Returns the changes of a shard that receives credit, or sends it if the amount is below 0. */
const transferOf = (given: NanoUsd) => ({
  balance: given,
  received: given,
  entries: given === 0n ? 0n : 1n,
});
