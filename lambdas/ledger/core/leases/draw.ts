/** What an open call has drawn from its lease. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Lease } from './lease.ts';
import type { Bound } from './lease-state.ts';

export interface Draw extends Bound {
  readonly lease: Lease;
  /** Tokens of each choice. */
  readonly output: number;
  /** The minimum spend of the account. */
  readonly spentAmount: NanoUsd;
  /** Rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
}
