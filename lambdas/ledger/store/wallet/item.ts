/**
 * A wallet is stored in shards, each an item with a balance and open holds, so that both change in one write. For every
 * shard, at every instant: received = balance + holds + spent - owed.
 */
import { randomUUID } from 'node:crypto';
import type { LeaseEntry } from '../../../access/core/keys/key-leases.ts';
import { decodeLease, encodeLease } from '../../../access/store/keys/lease-entries.ts';
import { KINDS, type Kind } from '../../../platform/core/kinds.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import {
  type Item,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../../../platform/dynamodb/attribute-values.ts';
import type { Hold, OpenHold, Wallet } from '../../core/ports.ts';

/** Open holds of one shard: with as many an item stays under 1 KB, so that every write of it costs one unit. */
export const MAX_HOLDS = 8;

/**
 * The most shards of one wallet: one request reads all of them, and one transaction changes all of them and up to 12 other
 * items. Each has room for 100 items (Amazon DynamoDB API reference, BatchGetItem and TransactWriteItems).
 */
export const MAX_SHARDS = 88;

/** Open holds of one shard of a wallet with the most shards: enough for 88,000 calls at once, at more units a write. */
export const MOST_HOLDS = 1_000;

/** The id of an account's n-th shard; the first one's is the account's own. */
export const shardId = (accountId: string, index: number): string =>
  index === 0 ? accountId : `${accountId}#${index}`;

export const accountOf = (walletId: string): string => walletId.split('#')[0] ?? walletId;

export const indexOf = (walletId: string): number => Number(walletId.split('#')[1] ?? 0);

/** A shard as stored. */
export interface Shard {
  readonly walletId: string;
  readonly balance: NanoUsd;
  readonly holds: readonly OpenHold[];
  /**
   * The debt of the account, in its first shard. During a debt every other shard has 0, so that none accepts a hold.
   */
  readonly debt: NanoUsd | undefined;
  /** The number of ledger entries and transfers that have changed the shard. */
  readonly entries: number;
  /** The cost of all calls whose hold has ended in it. */
  readonly spentAmount: NanoUsd;
  /** The same by the UTC day of the usage record, for days that are not yet verified. */
  readonly spentByDay: ReadonlyMap<number, NanoUsd>;
  /** The credit that the shard has received, less the credit that it has sent. */
  readonly received: NanoUsd;
  /**
   * Money that was paid into the wallet, less money that has left it or paid for listings. Only in the first shard; below
   * 0 if a payment was taken back after it had paid for a listing.
   */
  readonly netCash: NanoUsd;
  /**
   * The part of `netCash` that may still pay for listings: what calls had used up when granted credit came is not in it.
   * Only in the first shard; below 0 by a payment that was taken back after it was used up.
   */
  readonly payableCash: NanoUsd;
  /** The number of shards of the wallet, only in the first shard. */
  readonly shards: number;
  /** The balance of all shards at their last sum and the time of that sum (ms), only in the first shard. */
  readonly total: { readonly balance: NanoUsd; readonly atMs: number } | undefined;
}

/** One short string, so that a hold takes a tenth of a kilobyte and its whole state is compared at once. */
export const encodeHold = ({ keyId, kind, amount, expires, attempt = '' }: Hold) =>
  text([keyId, kind, amount, expires, attempt].join('|'));

/** A lease has the form of a hold: its key, what it is, and its amount come first. */
const LEASE = /^([^|]*)\|lease\|(.*)$/;

export const encodeLeaseHold = (entry: LeaseEntry) => text(`${entry.keyId}|lease|${encodeLease(entry)}`);

function decodeOpenHold(id: string, walletId: string, entry: string): OpenHold {
  const [, keyId, lease] = LEASE.exec(entry) ?? [];
  if (keyId === undefined || lease === undefined) return decodeHold(id, walletId, entry);
  return { ...decodeLease(keyId, lease), id, walletId, kind: 'lease' };
}

function decodeHold(id: string, walletId: string, entry: string): Hold {
  const [keyId = '', kind = '', amount = '', expires = '', attempt = ''] = entry.split('|');
  if (!/^\d+$/.test(amount) || !/^\d+$/.test(expires)) throw new Error(`the hold ${id} cannot be read`);
  return {
    id,
    walletId,
    keyId,
    kind: readKind(kind),
    amount: BigInt(amount),
    expires: Number(expires),
    ...(attempt === '' ? {} : { attempt }),
  };
}

/** Distinguishes the copies of one call's hold, of which there are at most two. */
export const newAttempt = (): string => randomUUID().slice(0, 8);

const DAY = /^spent_(\d+)$/;

const DAY_SECONDS = 86_400;

/** The UTC day of a time in seconds since the epoch, counted from the epoch. */
export const dayOf = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/** The attribute of what was spent by records of a UTC day, counted from the epoch. */
export const spentOn = (day: number): string => `spent_${day}`;

export function decodeShard(item: Item): Shard {
  const walletId = readText(item, 'wallet_id');
  const days = Object.keys(item).flatMap((name) => DAY.exec(name)?.[1] ?? []);
  return {
    walletId,
    balance: readInteger(item, 'balance'),
    holds: Object.entries(readMap(item, 'holds')).map(([id, { S: entry = '' }]) =>
      decodeOpenHold(id, walletId, entry),
    ),
    debt: item.owed === undefined ? undefined : readInteger(item, 'owed'),
    entries: Number(readOptional(item, 'entries')),
    spentAmount: readInteger(item, 'spent'),
    spentByDay: new Map(days.map((day) => [Number(day), readInteger(item, spentOn(Number(day)))])),
    received: readInteger(item, 'received'),
    netCash: readOptional(item, 'net_cash'),
    payableCash: readOptional(item, 'payable_cash'),
    shards: Number(readOptional(item, 'shards')) || 1,
    total:
      item.total === undefined
        ? undefined
        : { balance: readInteger(item, 'total'), atMs: readNumber(item, 'total_at') },
  };
}

/** Returns an amount that not every item has. */
const readOptional = (item: Item, name: string): bigint =>
  item[name] === undefined ? 0n : readInteger(item, name);

/** Combines some or all shards of an account into one wallet, with the debt deducted from the balance. */
export function toWallet(accountId: string, shards: readonly Shard[]): Wallet {
  const sum = (of: (shard: Shard) => NanoUsd): NanoUsd =>
    shards.reduce((total, shard) => total + of(shard), 0n);
  return {
    accountId,
    ...settleDebt(
      sum(({ balance }) => balance),
      sum(({ debt }) => debt ?? 0n),
    ),
    entries: shards.reduce((total, { entries }) => total + entries, 0),
    spentAmount: sum(({ spentAmount }) => spentAmount),
    holds: shards.flatMap(({ holds }) => holds),
    drift: sum(driftOf),
  };
}

/** Returns the amount by which a shard does not add up. */
function driftOf({ received, balance, holds, spentAmount, debt = 0n }: Shard): NanoUsd {
  const open = holds.reduce((total, { amount }) => total + amount, 0n);
  const drift = received - (balance + open + spentAmount - debt);
  return drift < 0n ? -drift : drift;
}

/** Returns the remainder of a balance after the debt is paid, and the remaining debt. */
function settleDebt(balance: NanoUsd, debt: NanoUsd): { readonly balance: NanoUsd; readonly debt: NanoUsd } {
  const paid = balance < debt ? balance : debt;
  return { balance: balance - paid, debt: debt - paid };
}

export function readKind(value: string): Kind {
  const kind = KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of call');
  return kind;
}
