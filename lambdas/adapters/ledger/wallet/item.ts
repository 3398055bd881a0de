/**
 * A wallet lies in parts, each an item with a balance and a few open holds, so that both change in one write of one
 * unit. Of every part, at every instant: received = balance + holds + spent - owed.
 */
import { randomBytes } from 'node:crypto';
import { KINDS, type Kind } from '../../../core/access/policy.ts';
import { ALLOWANCE, coverOf } from '../../../core/ledger/exposure.ts';
import type { Hold, Wallet } from '../../../core/ledger/ports.ts';
import { greatest, type NanoUsd } from '../../../core/money.ts';
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
  /** What its open holds may cost beyond their amounts. */
  readonly exposure: NanoUsd;
  readonly probation: NanoUsd;
  readonly shortfalls: number;
  /** What the account owes, in its first part; while it owes anything every other one has 0, so that none takes a hold. */
  readonly owed: NanoUsd | undefined;
  /** How many entries and transfers have touched it. */
  readonly entries: number;
  /** The cost of all calls whose hold has ended in it. */
  readonly spent: NanoUsd;
  /** The same by the UTC day of the usage record, as far as it has not been proven. */
  readonly spentByDay: ReadonlyMap<number, NanoUsd>;
  /** What it has received, less what it has given; undefined in the layout of earlier versions. */
  readonly received: NanoUsd | undefined;
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
    ...(hold.exposure === 0n ? {} : { exposure: number(hold.exposure) }),
    ...(hold.tokens === undefined ? {} : { tokens: number(hold.tokens) }),
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
    exposure: readOptional(item, 'exposure'),
    probation: readOptional(item, 'probation'),
    shortfalls: Number(readOptional(item, 'shortfalls')),
    owed: item.owed === undefined ? undefined : readInteger(item, 'owed'),
    entries: Number(readOptional(item, 'entries')),
    spent: readOptional(item, 'spent'),
    spentByDay: new Map(days.map((day) => [Number(day), readInteger(item, spentOn(Number(day)))])),
    received: item.received === undefined ? undefined : readInteger(item, 'received'),
    used: Number(readOptional(item, 'used')),
    // Earlier versions had the count of an operator's split.
    parts: Number(readOptional(item, 'parts') || readOptional(item, 'shards_made')) || 1,
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
    exposure: readOptional(hold, 'exposure'),
    ...(hold.tokens === undefined ? {} : { tokens: readNumber(hold, 'tokens') }),
    ...(hold.taken === undefined ? {} : { taken: readInteger(hold, 'taken') }),
    ...(hold.charged?.BOOL === true ? { charged: true } : {}),
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
    exposure: sum(({ exposure }) => exposure),
    // Each part has its own: while one is on probation, so is the account.
    probation: parts.length === 0 ? 0n : parts.map(({ probation }) => probation).reduce(greatest),
    shortfalls: parts.reduce((total, { shortfalls }) => total + shortfalls, 0),
  };
}

/** The part of a hold's condition that keeps an owing account from it; a call that costs nothing may pass. */
export const unlessOwing = ({ amount }: Pick<Hold, 'amount'>): string =>
  amount === 0n ? '' : ' AND attribute_not_exists(owed)';

/** A hold needs a place, and the part not to have it; an item of the earlier layout takes any number. */
export const HAS_PLACE =
  'attribute_not_exists(holds.#id) AND (size(holds) < :most OR attribute_not_exists(received))';

/** What is left of a balance once what is owed is paid, and what is owed then. */
export function settleOwed(
  balance: NanoUsd,
  owed: NanoUsd,
): { readonly balance: NanoUsd; readonly owed: NanoUsd } {
  const paid = balance < owed ? balance : owed;
  return { balance: balance - paid, owed: owed - paid };
}

/** The condition that an item's open holds are exposed by no more than `:others`, on which cover was computed. */
export const EXPOSED_AT_MOST = '(attribute_not_exists(exposure) OR exposure <= :others)';

/** The condition of a hold with exposure: the account is not on probation. */
export const NOT_ON_PROBATION = '(attribute_not_exists(probation) OR probation <= :zero)';

/** The first part alone has the allowance, so that an account has it once. */
export const allowanceOf = (walletId: string): NanoUsd => (indexOf(walletId) === 0 ? ALLOWANCE : 0n);

/** The balance that a part needs to take a hold beside others of that exposure. */
export const coverIn = (
  walletId: string,
  hold: Pick<Hold, 'amount' | 'exposure'>,
  others: NanoUsd,
): NanoUsd => coverOf(hold, others, allowanceOf(walletId));

/** What a part must keep, so that it covers its open holds. */
export const coverOfOthers = (walletId: string, exposure: NanoUsd): NanoUsd =>
  coverIn(walletId, { amount: 0n, exposure: 0n }, exposure);

/** What a part can give and still cover its open holds. */
export const spareOf = ({ walletId, balance, exposure }: Pick<Part, 'walletId' | 'balance' | 'exposure'>) =>
  greatest(balance - coverOfOthers(walletId, exposure), 0n);

export function readKind(value: string): Kind {
  const kind = KINDS.find((candidate) => candidate === value);
  if (kind === undefined) throw new Error('not a kind of call');
  return kind;
}
