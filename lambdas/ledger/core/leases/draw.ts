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
  /** When the request was sent that returned the state of the key, ms of the process. */
  readonly keyReadMs: number;
  /** Rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
}
