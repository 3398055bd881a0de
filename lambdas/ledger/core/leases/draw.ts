/** The part of a lease that an open call has drawn. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { Bound, SettledCall } from './lease-state.ts';
import type { LeaseSpan } from './times.ts';

/** The lease of a call, as its settlement needs it. */
interface DrawnLease {
  readonly id: string;
  readonly span: LeaseSpan;
  /** False once the lease has closed or is given up. */
  readonly isAlive: boolean;
  /** Ends a call whose record is durable. The next tick charges it. */
  settle(draw: Draw, call: SettledCall): void;
  /** The balance that a tick would leave now. `readTotal` reads that of a wallet with several shards, at most 2 s old. */
  readBalance(readTotal: () => Promise<NanoUsd>): Promise<NanoUsd | undefined>;
}

export interface Draw extends Bound {
  readonly lease: DrawnLease;
  /** Tokens of each choice. */
  readonly output: number;
  /** The minimum spend of the account. */
  readonly spentAmount: NanoUsd;
  /** The time of the request that returned the state of the key, ms of the process. */
  readonly keyReadMs: number;
  /** Rate-limit headers. */
  readonly headers: Readonly<Record<string, string>>;
}
