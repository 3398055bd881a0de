/** Moving money between the parts of one wallet, in one transaction with the hold it is moved for. */
import type { DynamoDBClient, TransactWriteItem } from '@aws-sdk/client-dynamodb';
import type { Hold } from '../../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../../core/money.ts';
import { map, number, text } from '../../dynamodb/attribute-values.ts';
import { transact } from '../../dynamodb/transaction.ts';
import {
  accountOf,
  encodeHold,
  encodeNewWallet,
  HAS_PLACE,
  indexOf,
  MAX_HOLDS,
  type Part,
  unlessOwing,
} from './item.ts';

/** A part with what it can give. */
export interface Donor {
  readonly part: Part;
  readonly amount: NanoUsd;
}

/** Parts that one transaction may take from; it has room for 100 items (API reference, TransactWriteItems). */
const MAX_DONORS = 90;

/** Collects `wanted` from the richest first; undefined when as many as may give together have less. */
export function collect(donors: readonly Donor[], wanted: NanoUsd): readonly Donor[] | undefined {
  const transfers: Donor[] = [];
  let missing = wanted;
  for (const donor of collectMost(donors)) {
    if (missing <= 0n) break;
    const amount = donor.amount < missing ? donor.amount : missing;
    transfers.push({ ...donor, amount });
    missing -= amount;
  }
  return missing > 0n ? undefined : transfers;
}

/** All that as many as may give together have. */
export function collectMost(donors: readonly Donor[]): readonly Donor[] {
  const richest = donors.toSorted((a, b) => (a.amount < b.amount ? 1 : -1)).slice(0, MAX_DONORS);
  return richest.filter(({ amount }) => amount > 0n);
}

/** What a hold is to be taken on: a part as it was read, or one that there is not yet. */
export type Target = Pick<Part, 'walletId'> & { readonly part: Part | undefined };

export class WalletTransfers {
  readonly #client: DynamoDBClient;
  readonly #table: string;

  constructor(client: DynamoDBClient, table: string) {
    this.#client = client;
    this.#table = table;
  }

  /** Moves the transfers to a part and takes a hold there; false when any of the parts has moved meanwhile. */
  hold({ walletId, part }: Target, hold: Hold, transfers: readonly Donor[]): Promise<boolean> {
    return part === undefined
      ? this.#send([...this.#withdrawals(transfers, walletId), this.#newPart(walletId, hold, sum(transfers))])
      : this.#send([...this.#withdrawals(transfers), this.#holdOn(part, hold, sum(transfers))]);
  }

  #holdOn(part: Part, hold: Hold, given: NanoUsd): TransactWriteItem {
    return {
      Update: {
        ...this.#key(part.walletId),
        UpdateExpression: `SET balance = balance + :change, holds.#id = :hold, used = :used${RECEIVES}`,
        ConditionExpression: `balance >= :least AND ${HAS_PLACE}${unlessOwing(hold)}`,
        ExpressionAttributeNames: { '#id': hold.id },
        ExpressionAttributeValues: {
          ':change': number(given - hold.amount),
          ':least': number(greatest(hold.amount - given, 0n)),
          ':most': number(MAX_HOLDS),
          ':hold': encodeHold(hold),
          ':used': number(hold.created),
          ...moved(given),
        },
      },
    };
  }

  #newPart(walletId: string, hold: Hold, given: NanoUsd): TransactWriteItem {
    return {
      Put: {
        TableName: this.#table,
        Item: {
          ...encodeNewWallet(walletId),
          balance: number(given - hold.amount),
          received: number(given),
          holds: map({ [hold.id]: encodeHold(hold) }),
          entries: number(1),
          used: number(hold.created),
        },
        ConditionExpression: 'attribute_not_exists(wallet_id)',
      },
    };
  }

  /** Moves the transfers to another part's balance. */
  move(transfers: readonly Donor[], to: Part): Promise<boolean> {
    return this.#send([
      ...this.#withdrawals(transfers),
      {
        Update: {
          ...this.#key(to.walletId),
          UpdateExpression: `SET balance = balance + :given${RECEIVES}`,
          ConditionExpression: 'attribute_exists(wallet_id)',
          ExpressionAttributeValues: { ':given': number(sum(transfers)), ...moved(sum(transfers)) },
        },
      },
    ]);
  }

  /** The transfers as writes; `opens` names a part that is made with them, which must be one of those that are counted. */
  #withdrawals(transfers: readonly Donor[], opens?: string): readonly TransactWriteItem[] {
    const counted = opens === undefined ? '' : 'parts > :index';
    const index = opens === undefined ? {} : { ':index': number(indexOf(opens)) };
    const withdrawals = transfers.map(({ part, amount }): TransactWriteItem => {
      const { walletId } = part;
      const isFirst = opens !== undefined && indexOf(walletId) === 0;
      return {
        Update: {
          ...this.#key(walletId),
          UpdateExpression: `SET balance = balance - :amount${GIVES}`,
          ConditionExpression: ['balance >= :amount', ...(isFirst ? [counted] : [])].join(' AND '),
          ExpressionAttributeValues: {
            ':amount': number(amount),
            ...(isFirst ? index : {}),
            ...moved(amount),
          },
        },
      };
    });
    if (opens === undefined || transfers.some(({ part }) => indexOf(part.walletId) === 0)) return withdrawals;
    const check = { ConditionExpression: counted, ExpressionAttributeValues: index };
    return [...withdrawals, { ConditionCheck: { ...this.#key(accountOf(opens)), ...check } }];
  }

  /** False when a condition does not hold; a transaction that meets another write is sent again. */
  async #send(writes: readonly TransactWriteItem[]): Promise<boolean> {
    return (await transact(this.#client, writes)).done;
  }

  #key(walletId: string) {
    return { TableName: this.#table, Key: { wallet_id: text(walletId) } };
  }
}

/** The clauses by which a part counts a transfer. */
const COUNTS = ', entries = if_not_exists(entries, :zero) + :one, received = received';
const RECEIVES = `${COUNTS} + :moved`;
const GIVES = `${COUNTS} - :moved`;

const moved = (amount: NanoUsd) => ({ ':zero': number(0), ':one': number(1), ':moved': number(amount) });

const sum = (transfers: readonly Donor[]): NanoUsd =>
  transfers.reduce((total, { amount }) => total + amount, 0n);
