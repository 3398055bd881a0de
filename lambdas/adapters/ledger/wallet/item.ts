/**
 * A wallet lies in parts, each an item with a balance and a few open holds, so that both change in one write of one
 * unit. Of every part, at every instant: received = balance + holds + spent - owed.
 */
import { randomBytes } from 'node:crypto';
import { KINDS, type Kind } from '../../../core/access/policy.ts';
import type { Hold, Wallet } from '../../../core/ledger/ports.ts';
import type { NanoUsd } from '../../../core/money.ts';
import {
  type Item,
  map,
  number,
  readInteger,
  readMap,
  readNumber,
  readText,
  text,
} from '../../dynamodb/attribute-values.ts';

/** Open holds of one part: with as many an item stays under 1 KB, so that every write of it costs one unit. */
export const MAX_HOLDS = 4;

/** Parts of one wallet: enough for 16,000 calls at once. */
export const MAX_PARTS = 4096;

/** The id of an account's n-th part; the first one's is the account's own. */
export const partId = (accountId: string, index: number): string =>
  index === 0 ? accountId : `${accountId}#${index}`;

export const accountOf = (walletId: string): string => walletId.split('#')[0] ?? walletId;

export const indexOf = (walletId: string): number => Number(walletId.split('#')[1] ?? 0);

/** A part as it is stored. */
export interface Part {
  readonly walletId: string;
  readonly balance: NanoUsd;
  readonly holds: readonly Hold[];
  /** What the account owes, in its first part; while it owes anything every other one has 0, so that none takes a hold. */
  readonly owed: NanoUsd | undefined;
  /** How many entries and transfers have touched it. */
  readonly entries: number;
  /** The cost of all calls whose hold has ended in it. */
  readonly spent: NanoUsd;
  /** The same by the UTC day of the usage record, as far as it has not been proven. */
  readonly spentByDay: ReadonlyMap<number, NanoUsd>;
  /** What it has received, less what it has given. */
  readonly received: NanoUsd;
  /** When its newest hold was taken, seconds since the epoch. */
  readonly used: number;
  /** Of the first part: how many parts there may be. */
  readonly parts: number;
  /** Of the first part: the balance of all parts when they were last summed, and when that was (ms). */
  readonly total: { readonly balance: NanoUsd; readonly atMs: number } | undefined;
}

/** A part with nothing in it; the map must exist before the first hold is written into it. */
export function encodeNewWallet(walletId: string): Item {
  return {
    wallet_id: text(walletId),
    balance: number(0),
    holds: map({}),
    spent: number(0),
    received: number(0),
  };
}

export function encodeHold(hold: Hold) {
  return map({
    key: text(hold.keyId),
    kind: text(hold.kind),
    amount: number(hold.amount),
    created: number(hold.created),
    expires: number(hold.expires),
    ...(hold.attempt === undefined ? {} : { attempt: text(hold.attempt) }),
  });
}

/** Distinguishes the copies of one call's hold, of which there are at most two. */
export const newAttempt = (): string => randomBytes(4).toString('hex');

const DAY = /^spent_(\d+)$/;

const DAY_SECONDS = 86_400;

/** The UTC day of a time in seconds since the epoch, counted from the epoch. */
export const dayOf = (seconds: number): number => Math.floor(seconds / DAY_SECONDS);

/** The attribute of what was spent by records of a UTC day, counted from the epoch. */
export const spentOn = (day: number): string => `spent_${day}`;

export function decodePart(item: Item): Part {
  const walletId = readText(item, 'wallet_id');
  const days = Object.keys(item).flatMap((name) => DAY.exec(name)?.[1] ?? []);
  return {
    walletId,
    balance: readInteger(item, 'balance'),
    holds: Object.entries(readMap(item, 'holds')).map(([id, { M: hold = {} }]) =>
      decodeHold(id, walletId, hold),
    ),
    owed: item.owed === undefined ? undefined : readInteger(item, 'owed'),
    entries: Number(readOptional(item, 'entries')),
    spent: readOptional(item, 'spent'),
    spentByDay: new Map(days.map((day) => [Number(day), readInteger(item, spentOn(Number(day)))])),
    received: readInteger(item, 'received'),
    used: Number(readOptional(item, 'used')),
    parts: Number(readOptional(item, 'parts')) || 1,
    total:
      item.total === undefined
        ? undefined
        : { balance: readInteger(item, 'total'), atMs: readNumber(item, 'total_at') },
  };
}

function decodeHold(id: string, walletId: string, hold: Item): Hold {
  return {
    id,
    walletId,
    keyId: readText(hold, 'key'),
    kind: readKind(readText(hold, 'kind')),
    amount: readInteger(hold, 'amount'),
    created: readNumber(hold, 'created'),
    expires: readNumber(hold, 'expires'),
    ...(hold.attempt?.S === undefined ? {} : { attempt: hold.attempt.S }),
  };
}

/** A figure that not every item has. */
const readOptional = (item: Item, name: string): bigint =>
  item[name] === undefined ? 0n : readInteger(item, name);

/** Some or all parts of an account as one wallet, with what it owes taken off what it has. */
export function toWallet(accountId: string, parts: readonly Part[]): Wallet {
  const sum = (of: (part: Part) => NanoUsd): NanoUsd => parts.reduce((total, part) => total + of(part), 0n);
  return {
    accountId,
    ...settleOwed(
      sum(({ balance }) => balance),
      sum(({ owed }) => owed ?? 0n),
    ),
    entries: parts.reduce((total, { entries }) => total + entries, 0),
    holds: parts.flatMap(({ holds }) => holds),
  };
}

/** The part of a hold's condition that keeps an owing account from it; a call that costs nothing may pass. */
export const unlessOwing = ({ amount }: Pick<Hold, 'amount'>): string =>
  amount === 0n ? '' : ' AND attribute_not_exists(owed)';

/** A hold needs a place, and the part not to have it. */
export const HAS_PLACE = 'attribute_not_exists(holds.#id) AND size(holds) < :most';

/** What is left of a balance once what is owed is paid, and what is owed then. */
export function settleOwed(
  balance: NanoUsd,
  owed: NanoUsd,
): { readonly balance: NanoUsd; readonly owed: NanoUsd } {
  const paid = balance < owed ? balance : owed;
  return { balance: balance - paid, owed: owed - paid };
}

export function readKind(value: string): Kind {
  const kind = KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of call');
  return kind;
}
