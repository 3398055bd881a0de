/**
 * A payout, as its recorded facts: a transfer from the platform to the seller's account at the payment provider, and a
 * payout from there to the bank. Facts accumulate: a repeated fact changes nothing. The status follows from them, and the
 * seller's balance follows the facts.
 *
 * | Fact | Money |
 * |---|---|
 * | (created) | from `available` to `inTransit` |
 * | `transfer`, `payout` | unchanged |
 * | `paid` | from `inTransit` to `paidOut` |
 * | `ended` after `paid` | from `paidOut` to `inTransit` |
 * | `returned` | from `inTransit` to `available` |
 *
 * `ended` is final: a later `paid` changes nothing. Money is `available` again only when the provider has returned the
 * transfer to the platform.
 */
import type { NanoUsd } from '../../../platform/core/money.ts';
import { EMPTY_BALANCE, type SellerBalance } from '../earnings/sale.ts';

/** The requests to the provider that move money. */
export const MONEY_STEPS = ['transfer', 'payout', 'reversal'] as const;
export type MoneyStep = (typeof MONEY_STEPS)[number];

/** The last attempt of a step, recorded before its request is sent. */
export interface PayoutAttempt {
  /** Part of the idempotency key. */
  readonly generation: number;
  /** Seconds since the epoch. */
  readonly at: number;
}

export interface PayoutEnd {
  readonly how: 'failed' | 'canceled';
  /** The provider's code; undefined if the seller canceled it. */
  readonly code?: string | undefined;
}

export interface PayoutKey {
  readonly sellerId: string;
  /** `po_<ulid>`. */
  readonly id: string;
}

export interface Payout extends PayoutKey {
  /** In whole cents. */
  readonly amount: NanoUsd;
  /** Seconds since the epoch, as every time here. */
  readonly created: number;
  readonly attempts: Readonly<Partial<Record<MoneyStep, PayoutAttempt>>>;
  /** The provider's id of the transfer. */
  readonly transfer?: string | undefined;
  /** The provider's id of the payout. */
  readonly payout?: string | undefined;
  /** The day on which the bank should have the money. */
  readonly arrivalDate?: number | undefined;
  readonly paidAt?: number | undefined;
  readonly end?: PayoutEnd | undefined;
  readonly returned: boolean;
  /** The time of the next step; undefined if nothing is left to do. */
  readonly dueAt?: number | undefined;
  /** Counts the changes. */
  readonly version: number;
}

export type PayoutFact =
  | { readonly kind: 'transfer'; readonly id: string }
  | { readonly kind: 'payout'; readonly id: string; readonly arrivalDate: number }
  | { readonly kind: 'paid'; readonly at: number }
  | ({ readonly kind: 'ended' } & PayoutEnd)
  | { readonly kind: 'returned' };

/** Returns the payout with one more fact; the same object if the fact is recorded, or comes too late. */
export function applyPayoutFact(payout: Payout, fact: PayoutFact): Payout {
  switch (fact.kind) {
    case 'transfer':
      return payout.transfer === undefined ? { ...payout, transfer: fact.id } : payout;
    case 'payout': {
      const { id, arrivalDate } = fact;
      return payout.payout === undefined ? { ...payout, payout: id, arrivalDate } : payout;
    }
    case 'paid':
      return payout.paidAt === undefined && payout.end === undefined
        ? { ...payout, paidAt: fact.at }
        : payout;
    case 'ended': {
      const { how, code } = fact;
      return payout.end === undefined ? { ...payout, end: { how, code } } : payout;
    }
    case 'returned':
      return payout.end === undefined || payout.returned ? payout : { ...payout, returned: true };
  }
}

/** The part of the seller's balance that has the money. */
export function partOf({ paidAt, end, returned }: Payout): 'available' | 'inTransit' | 'paidOut' {
  if (returned) return 'available';
  return paidAt !== undefined && end === undefined ? 'paidOut' : 'inTransit';
}

/** Returns the change of the seller's balance; `before` is undefined for a new payout. */
export function balanceChange(before: Payout | undefined, after: Payout): SellerBalance {
  const from = before === undefined ? 'available' : partOf(before);
  const to = partOf(after);
  return from === to ? EMPTY_BALANCE : { ...EMPTY_BALANCE, [from]: -after.amount, [to]: after.amount };
}

/** Returns whether no other payout of the seller may start. */
export const isOpenPayout = ({ paidAt, returned }: Payout): boolean => paidAt === undefined && !returned;

export const PAYOUT_STATUSES = ['pending', 'in_transit', 'paid', 'failed', 'canceled'] as const;
type PayoutStatus = (typeof PAYOUT_STATUSES)[number];

export function payoutStatus({ payout, paidAt, end }: Payout): PayoutStatus {
  if (end !== undefined) return end.how;
  if (paidAt !== undefined) return 'paid';
  return payout === undefined ? 'pending' : 'in_transit';
}

/** Returns what is to be done next. `check` compares the payout with the provider. */
export function payoutStep({ transfer, payout, end, returned }: Payout): MoneyStep | 'check' | 'nothing' {
  if (returned) return 'nothing';
  if (end !== undefined) return transfer === undefined ? 'nothing' : 'reversal';
  if (transfer === undefined) return 'transfer';
  return payout === undefined ? 'payout' : 'check';
}

/**
 * A further attempt waits for this time, and uses another key. The provider stores the first response of a key, errors
 * included, and forgets it after 24 hours or more. No function that may still send the earlier request runs as long.
 */
export const NEW_KEY_SECONDS = 3_600;

/** Returns the idempotency key of an attempt. */
export const attemptKey = ({ id }: PayoutKey, step: MoneyStep, { generation }: PayoutAttempt): string =>
  `${id}-${step}-${generation}`;

/** Returns the next attempt of a step; undefined while the last one may still be under way. */
export function nextAttempt(
  { attempts }: Payout,
  step: MoneyStep,
  nowSeconds: number,
): PayoutAttempt | undefined {
  const last = attempts[step];
  if (last === undefined) return { generation: 1, at: nowSeconds };
  if (nowSeconds < last.at + NEW_KEY_SECONDS) return undefined;
  return { generation: last.generation + 1, at: nowSeconds };
}
