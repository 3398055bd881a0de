/** A wallet's item: a balance and its open holds, so that both change in one write. A hot account has several. */
import { randomBytes } from 'node:crypto';
import { KINDS, type Kind } from '../../core/access/policy.ts';
import { coverOf } from '../../core/ledger/exposure.ts';
import type { Hold, Wallet } from '../../core/ledger/ports.ts';
import type { NanoUsd } from '../../core/money.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../dynamodb/attribute-values.ts';

/** How many items an account's wallet has: those that take new holds, and all that ever did. */
export interface ShardCount {
  readonly active: number;
  readonly made: number;
}

/** The id of an account's n-th item; the first one's is the account's own. */
export const shardId = (accountId: string, index: number): string =>
  index === 0 ? accountId : `${accountId}#${index}`;

export const accountOf = (walletId: string): string => walletId.split('#')[0] ?? walletId;

/** An item with nothing in it; the map must exist before the first hold is written into it. */
export function encodeNewWallet(walletId: string): Item {
  return { wallet_id: text(walletId), balance: number(0), holds: map({}) };
}

/** The first item counts the others. */
export const decodeShardCount = (item: Item): ShardCount =>
  item.shards === undefined
    ? { active: 1, made: 1 }
    : { active: readNumber(item, 'shards'), made: readNumber(item, 'shards_made') };

export function encodeHold(hold: Hold) {
  return map({
    key: text(hold.keyId),
    kind: text(hold.kind),
    amount: number(hold.amount),
    ...(hold.exposure === 0n ? {} : { exposure: number(hold.exposure) }),
    created: number(hold.created),
    expires: number(hold.expires),
    ...(hold.attempt === undefined ? {} : { attempt: text(hold.attempt) }),
  });
}

/** Distinguishes the copies of one call's hold, of which there are at most two. */
export const newAttempt = (): string => randomBytes(4).toString('hex');

/** What an account owes is in its first item; while it owes anything, every item has the attribute, so that none takes a hold. */
export const decodeOwed = (item: Item): NanoUsd | undefined =>
  item.owed === undefined ? undefined : readInteger(item, 'owed');

/** The part of a hold's condition that keeps an owing account from it; a call that costs nothing may pass. */
export const unlessOwing = ({ amount }: Pick<Hold, 'amount'>): string =>
  amount === 0n ? '' : ' AND attribute_not_exists(owed)';

/** What is left of a balance once what is owed is paid, and what is owed then. */
export function settleOwed(
  balance: NanoUsd,
  owed: NanoUsd,
): { readonly balance: NanoUsd; readonly owed: NanoUsd } {
  const paid = balance < owed ? balance : owed;
  return { balance: balance - paid, owed: owed - paid };
}

/** One item as a wallet, its balance as it is stored. */
export function decodeWallet(item: Item): Wallet {
  const walletId = readText(item, 'wallet_id');
  const holds = Object.entries(readMap(item, 'holds')).map(([id, value]): Hold => {
    const hold = value.M ?? {};
    return {
      id,
      walletId,
      keyId: readText(hold, 'key'),
      kind: readKind(readText(hold, 'kind')),
      amount: readInteger(hold, 'amount'),
      exposure: readOptional(hold, 'exposure'),
      created: readNumber(hold, 'created'),
      expires: readNumber(hold, 'expires'),
      ...(hold.attempt?.S === undefined ? {} : { attempt: hold.attempt.S }),
    };
  });
  return {
    accountId: accountOf(walletId),
    balance: readInteger(item, 'balance'),
    owed: decodeOwed(item) ?? 0n,
    entries: item.entries === undefined ? 0 : readNumber(item, 'entries'),
    holds,
    exposure: readOptional(item, 'exposure'),
    probation: readOptional(item, 'probation'),
    shortfalls: Number(readOptional(item, 'shortfalls')),
  };
}

/** An amount that items of an earlier time, and holds without exposure, do not have. */
const readOptional = (item: Item, name: string): NanoUsd =>
  item[name] === undefined ? 0n : readInteger(item, name);

/** The condition that an item's open holds are exposed by no more than `:others`, on which cover was computed. */
export const EXPOSED_AT_MOST = '(attribute_not_exists(exposure) OR exposure <= :others)';

/** What an item must keep, so that it covers its open holds. */
export const coverOfOthers = (exposure: NanoUsd): NanoUsd => coverOf({ amount: 0n, exposure: 0n }, exposure);

export function readKind(value: string): Kind {
  const kind = KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of call');
  return kind;
}
