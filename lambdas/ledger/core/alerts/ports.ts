/** The storage of alerts: the thresholds of an account, and the last crossing of each with what is still to be published. */
import type { NanoUsd } from '../../../platform/core/money.ts';

/** Undefined: off. */
export interface AlertThresholds {
  readonly lowUsd: NanoUsd | undefined;
  readonly lowDays: number | undefined;
}

/** An event that is stored with its crossing until the bus has taken it. The same id again changes nothing. */
export interface MoneyEvent {
  readonly accountId: string;
  /** A type of the events of money. */
  readonly type: string;
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface AccountAlerts extends AlertThresholds {
  readonly accountId: string;
  /** The number of times that the credit fell below a threshold or rose above all: odd while it is low. */
  readonly turns: number;
  /** Events that the bus may not have taken. */
  readonly unpublished: readonly MoneyEvent[];
}

export const isLow = ({ turns }: Pick<AccountAlerts, 'turns'>): boolean => turns % 2 === 1;

/** The credit of an account as of one instant. */
export interface AccountCredit {
  /** The credit that no call has used up: open holds are in it, debt is not. It rises only when credit is added. */
  readonly remaining: NanoUsd;
  /** The cost of the last `PACE_DAYS` UTC days, today among them. */
  readonly spent: NanoUsd;
}

export interface AlertStore {
  get(accountId: string): Promise<AccountAlerts>;
  setThresholds(accountId: string, thresholds: AlertThresholds): Promise<void>;
  /** The alerts of all accounts that have any. */
  pages(): AsyncIterable<readonly AccountAlerts[]>;
  /** Counts a turn, with its event if there is one. Returns false if another process has counted it. */
  turn(alerts: AccountAlerts, event?: MoneyEvent): Promise<boolean>;
  /** Stores that a wallet which has received so much is exhausted. Returns false if one that has received as much was. */
  exhaust(event: MoneyEvent, received: NanoUsd): Promise<boolean>;
  /** Removes an event that the bus has taken. */
  markPublished(event: MoneyEvent): Promise<void>;
}
