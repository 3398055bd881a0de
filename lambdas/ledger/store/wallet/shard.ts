/** The writes of the shards of a wallet. Each is conditional, and safe to repeat. */
import { type AttributeValue, type DynamoDBClient, DynamoDBServiceException } from '@aws-sdk/client-dynamodb';
import type { DynamoClients } from '../../../platform/aws/clients.ts';
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import { isSafeToRetry } from '../../../platform/core/transient.ts';
import { number } from '../../../platform/dynamodb/attribute-values.ts';
import { transact } from '../../../platform/dynamodb/transaction.ts';
import { updateItem, type WriteResult } from '../../../platform/dynamodb/update-item.ts';
import type { Hold, HoldEnd } from '../../core/ports.ts';
import { dayOf, decodeShard, encodeHold, MAX_HOLDS, newAttempt, type Shard, spentOn } from './item.ts';
import type { TransferSource } from './transfer.ts';
import { shardUpdate } from './update.ts';

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_SENDS = 2;

/** A change of a hold or lease, and of the balance of its shard. */
export interface EntryChange {
  readonly walletId: string;
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

export type ShardResult =
  | {
      readonly outcome:
        | 'granted'
        /** It has as many open holds as it may have. */
        | 'full'
        /** Its own balance does not cover the hold. */
        | 'insufficient'
        /** The account has a debt: credit was removed after it had been spent. */
        | 'in-debt';
      readonly shard: Shard;
    }
  | {
      readonly outcome: /** There is no such shard. */
        | 'absent'
        /** DynamoDB rejects writes to it for now: a transaction includes it, or it is throttled. */
        | 'contended';
      readonly shard: undefined;
    };

/** Returns the change that places a hold. A call without cost passes even if the account is in debt. */
export const holdChange = (walletId: string, hold: Hold): EntryChange => ({
  walletId,
  id: hold.id,
  from: undefined,
  to: encodeHold(hold),
  amount: hold.amount,
  maxEntries: MAX_HOLDS,
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
  changeWith(change: EntryChange, donors: readonly TransferSource[]): Promise<boolean> {
    return this.#receive(this.#updateOf(change, sum(donors)), donors);
  }

  /** Moves what others give to a shard's balance; false when one of them has moved meanwhile. */
  move(walletId: string, donors: readonly TransferSource[]): Promise<boolean> {
    return this.#receive(shardUpdate(this.#table, walletId, { add: transferOf(sum(donors)) }), donors);
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
      try {
        const change = holdChange(walletId, { ...hold, attempt: newAttempt() });
        return await this.change(change, canWait ? undefined : 0);
      } catch (failure) {
        if (!canWait && isSafeToRetry(failure)) return 'contended';
        if (failure instanceof DynamoDBServiceException || sends === MAX_SENDS) throw failure;
      }
    }
  }

  /** Ends that hold. Returns the shard after it, or undefined if the shard has no such hold. */
  async end(walletId: string, end: HoldEnd): Promise<Shard | undefined> {
    const { id, amount, cost, recorded } = end;
    const costs = { [spentOn(dayOf(recorded))]: cost };
    const change = { walletId, id, from: encodeHold(end), to: undefined, amount: cost - amount, costs };
    const { applied, item } = await this.change(change);
    return applied && item !== undefined ? decodeShard(item) : undefined;
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

  async #receive(
    update: ReturnType<typeof shardUpdate>,
    donors: readonly TransferSource[],
  ): Promise<boolean> {
    const gives = donors.map(({ shard: { walletId }, amount }) => ({
      Update: shardUpdate(this.#table, walletId, { add: transferOf(-amount), minBalance: amount }),
    }));
    return (await transact(this.#client, [...gives, { Update: update }])).done;
  }
}

/** Returns the changes of a shard that receives credit, or sends it if the amount is below 0. */
const transferOf = (given: NanoUsd) => ({
  balance: given,
  received: given,
  entries: given === 0n ? 0n : 1n,
});

const sum = (donors: readonly TransferSource[]): NanoUsd =>
  donors.reduce((total, { amount }) => total + amount, 0n);

/** Returns the reason why a shard, in the state that was read, rejected a hold. */
function rejectionBy({ debt, holds }: Shard, { amount }: Hold): 'full' | 'insufficient' | 'in-debt' {
  if (debt !== undefined && amount > 0n) return 'in-debt';
  return holds.length >= MAX_HOLDS ? 'full' : 'insufficient';
}
