/** The cause of a rejection for lack of credit. */
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Wallet } from './ports.ts';

/** A wallet as it was read, or the balance of an account that has none. */
export type RejectingWallet = Pick<Wallet, 'balance'> & Partial<Wallet>;

/** The cause of 402 `insufficient_credit`, for alerts. No caller receives it. */
export class CreditShortage extends Error {
  override readonly name = 'CreditShortage';
  readonly wallet: RejectingWallet;
  /** The estimate of the call. */
  readonly estimate: NanoUsd;

  constructor(wallet: RejectingWallet, estimate: NanoUsd) {
    super('the wallet does not cover the call');
    this.wallet = wallet;
    this.estimate = estimate;
  }
}

/** Returns the credit that a wallet has received, less what has left it by refunds and purchases. Calls do not change it. */
export const receivedBy = ({ balance, debt = 0n, spentAmount = 0n, holds = [] }: RejectingWallet): NanoUsd =>
  holds.reduce((sum, { amount }) => sum + amount, balance + spentAmount - debt);
