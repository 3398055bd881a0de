/** What one wallet item can do, each in one conditional update that is safe to repeat. */
import { isDeepStrictEqual } from 'node:util';
import {
  type DynamoDBClient,
  DynamoDBServiceException,
  TransactGetItemsCommand,
  TransactionCanceledException,
} from '@aws-sdk/client-dynamodb';
import { BoundedMap } from '../../core/bounded-map.ts';
import { ALLOWANCE, coverOf } from '../../core/ledger/exposure.ts';
import type { Hold, HoldEnd } from '../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../core/money.ts';
import { optimistically } from '../../core/optimistic.ts';
import type { DynamoClients } from '../aws/clients.ts';
import { type Item, number, readInteger, text } from '../dynamodb/attribute-values.ts';
import { readItem } from '../dynamodb/reads.ts';
import { updateItem } from '../dynamodb/update-item.ts';
import {
  decodeOwed,
  decodeShardCount,
  decodeWallet,
  EXPOSED_AT_MOST,
  encodeHold,
  newAttempt,
  shardId,
  unlessOwing,
} from './wallet-item.ts';

/** A connection that was reset while the function slept is the usual reason for a second try. */
const MAX_HOLD_TRIES = 2;

/** Each further try needs the balance to have fallen meanwhile; after as many the hold stays as it is. */
const MAX_GROW_TRIES = 5;

/** A hold that found other exposure than it had cover for is tried again with what it found, which moves too. */
const MAX_MISSES = 9;

/** Bounds the memory of accounts with much exposure; one that falls out is found again at its next hold. */
const MAX_EXPOSED = 10_000;

const EXPOSE = 'exposure = if_not_exists(exposure, :zero) + :exposure';
const NOT_ON_PROBATION = '(attribute_not_exists(probation) OR probation <= :zero)';

/** Under heavy load some item is always being written; then the last reading must do, and a transfer checks it again. */
const MAX_SNAPSHOTS = 3;

export interface ShardHold {
  readonly granted: boolean;
  /** The item after the hold, or as it refused it; undefined when there is none. */
  readonly item: Item | undefined;
}

export class WalletShards {
  readonly #client: DynamoDBClient;
  readonly #onceClient: DynamoDBClient;
  readonly #table: string;
  /** By item, the exposure that the next hold finds cover for. */
  readonly #exposures = new BoundedMap<string, NanoUsd>(MAX_EXPOSED);

  constructor({ client, onceClient }: DynamoClients, table: string) {
    this.#client = client;
    this.#onceClient = onceClient;
    this.#table = table;
  }

  /** The item's name in a request. */
  key(walletId: string) {
    return { TableName: this.#table, Key: { wallet_id: text(walletId) } };
  }

  /**
   * Takes a hold. Each request is sent once and has an attempt of its own in the hold: a copy that reaches the database
   * after the call has settled is then distinguished from the hold that its record settled, and released at no cost.
   */
  async hold(walletId: string, wanted: Hold): Promise<ShardHold> {
    let others = this.#exposures.get(walletId) ?? ALLOWANCE;
    return optimistically(MAX_MISSES, 'the wallet', async () => {
      const { granted, item } = await this.#holdBeside(walletId, wanted, others);
      if (item === undefined) return { granted, item };
      const { balance, exposure, probation } = decodeWallet(item);
      this.#remember(walletId, balance, exposure);
      const enough = balance >= coverOf(wanted, exposure) && !(probation > 0n && wanted.exposure > 0n);
      if (granted || !enough || decodeOwed(item) !== undefined) return { granted, item };
      // The cover was computed for other open holds than there are.
      others = exposure + (balance - coverOf(wanted, exposure)) / 2n;
      return undefined;
    });
  }

  /** Takes a hold if the other open holds are exposed by at most `others`; again when the answer was lost. */
  async #holdBeside(walletId: string, wanted: Hold, others: NanoUsd): Promise<ShardHold> {
    for (let tries = 1; ; tries += 1) {
      try {
        return await this.#tryHold(walletId, { ...wanted, attempt: newAttempt() }, others);
      } catch (failure) {
        if (failure instanceof DynamoDBServiceException || tries === MAX_HOLD_TRIES) throw failure;
      }
    }
  }

  async #tryHold(walletId: string, wanted: Hold, others: NanoUsd): Promise<ShardHold> {
    const isExposed = wanted.exposure > 0n;
    const { applied, item } = await updateItem(this.#onceClient, {
      ...this.key(walletId),
      UpdateExpression: `SET balance = balance - :amount, holds.#id = :hold${isExposed ? `, ${EXPOSE}` : ''}`,
      ConditionExpression: [
        `balance >= :least AND attribute_not_exists(holds.#id)${unlessOwing(wanted)} AND ${EXPOSED_AT_MOST}`,
        ...(isExposed ? [NOT_ON_PROBATION] : []),
      ].join(' AND '),
      ExpressionAttributeNames: { '#id': wanted.id },
      ExpressionAttributeValues: {
        ':amount': number(wanted.amount),
        ':least': number(coverOf(wanted, others)),
        ':others': number(others),
        ':hold': encodeHold(wanted),
        ...(isExposed ? { ':exposure': number(wanted.exposure), ':zero': number(0) } : {}),
      },
      ReturnValues: 'ALL_NEW',
    });
    if (item === undefined) return { granted: false, item };
    // A request whose answer was lost has left its hold, and it is ours.
    return { granted: applied || decodeWallet(item).holds.some(({ id }) => id === wanted.id), item };
  }

  /** Notes for how much exposure the next hold is to find cover: more than there is, as other processes take holds too. */
  #remember(walletId: string, balance: NanoUsd, exposure: NanoUsd): void {
    if (exposure <= ALLOWANCE / 2n) this.#exposures.delete(walletId);
    else this.#exposures.set(walletId, exposure + greatest(ALLOWANCE, (balance - exposure) / 2n));
  }

  /** Widens a hold up to `target` by what the item's own balance gives; returns the hold's new amount. */
  async grow(walletId: string, held: Hold, target: NanoUsd): Promise<NanoUsd> {
    let available = target - held.amount;
    for (let tries = 0; tries < MAX_GROW_TRIES && available > 0n; tries += 1) {
      const grown = held.amount + available;
      const { applied, item } = await updateItem(this.#client, {
        ...this.key(walletId),
        UpdateExpression: 'SET balance = balance - :more, holds.#id.amount = :grown',
        ConditionExpression: 'balance >= :more AND holds.#id.amount = :amount',
        ExpressionAttributeNames: { '#id': held.id },
        ExpressionAttributeValues: {
          ':more': number(available),
          ':grown': number(grown),
          ':amount': number(held.amount),
        },
      });
      if (applied) return grown;
      const wallet = item === undefined ? undefined : decodeWallet(item);
      const current = wallet?.holds.find(({ id }) => id === held.id);
      if (wallet === undefined || current === undefined) return held.amount;
      if (current.amount !== held.amount) return current.amount;
      available = wallet.balance < available ? wallet.balance : available;
    }
    return held.amount;
  }

  /** Ends a hold of exactly that amount; returns the item's balance, or undefined when there is no such hold. */
  async end(
    walletId: string,
    { id, amount, cost, fellShort = false, probation = 0n }: HoldEnd,
  ): Promise<NanoUsd | undefined> {
    const { applied, item } = await updateItem(this.#client, {
      ...this.key(walletId),
      UpdateExpression: `SET ${[
        'balance = balance + :refund',
        // The hold as it is before this update.
        'exposure = if_not_exists(exposure, :zero) - if_not_exists(holds.#id.exposure, :zero)',
        ...(probation === 0n ? [] : ['probation = if_not_exists(probation, :zero) + :probation']),
        ...(fellShort ? ['shortfalls = if_not_exists(shortfalls, :zero) + :one'] : []),
      ].join(', ')} REMOVE holds.#id`,
      ConditionExpression: 'holds.#id.amount = :amount',
      ExpressionAttributeNames: { '#id': id },
      ExpressionAttributeValues: {
        ':refund': number(amount - cost),
        ':amount': number(amount),
        ':zero': number(0),
        ...(probation === 0n ? {} : { ':probation': number(probation) }),
        ...(fellShort ? { ':one': number(1) } : {}),
      },
      ReturnValues: 'UPDATED_NEW',
    });
    return applied && item !== undefined ? readInteger(item, 'balance') : undefined;
  }

  async read(walletId: string): Promise<Item | undefined> {
    const item = await readItem(this.#client, this.key(walletId));
    return item;
  }

  /** Every item that the account's wallet ever had, as of one instant, the first one first; none when there is no wallet. */
  async readAll(accountId: string): Promise<readonly Item[]> {
    const first = await this.read(accountId);
    if (first === undefined) return [];
    const { made } = decodeShardCount(first);
    // Money on its way from one item to another must be seen in one of them.
    return made === 1
      ? [first]
      : this.snapshot(Array.from({ length: made }, (_, index) => shardId(accountId, index)));
  }

  /**
   * Several items as of one instant; those that do not exist are left out. A write to any of them while they are read
   * cancels the reading: after a few tries they are read one by one, until two readings in a row agree.
   */
  async snapshot(walletIds: readonly string[]): Promise<readonly Item[]> {
    for (let tries = 0; tries < MAX_SNAPSHOTS; tries += 1) {
      try {
        const { Responses: found = [] } = await this.#client.send(
          new TransactGetItemsCommand({
            TransactItems: walletIds.map((walletId) => ({ Get: this.key(walletId) })),
          }),
        );
        return found.map(({ Item: item }) => item).filter((item): item is Item => item !== undefined);
      } catch (failure) {
        if (!(failure instanceof TransactionCanceledException)) throw failure;
      }
    }
    let before = await this.#readEach(walletIds);
    for (let tries = 0; tries < MAX_SNAPSHOTS; tries += 1) {
      const after = await this.#readEach(walletIds);
      if (isDeepStrictEqual(before, after)) return after;
      before = after;
    }
    return before;
  }

  async #readEach(walletIds: readonly string[]): Promise<readonly Item[]> {
    const items = await Promise.all(walletIds.map((walletId) => this.read(walletId)));
    return items.filter((item): item is Item => item !== undefined);
  }
}
