/** The storage of API keys on the path of a call: each operation is one atomic step. */
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { CapsLeft } from './caps.ts';
import type { KeyLeaseWrite, LeaseResult } from './key-leases.ts';
import type { KeyCharge, KeyState } from './key-state.ts';
import type { Windows } from './windows.ts';

export type ChargeResult =
  | { readonly granted: true; readonly state: KeyState }
  | { readonly granted: false; readonly state: KeyState | undefined };

/** A granted charge: the values that its end needs. */
export interface GrantedCharge {
  /** The windows that it was taken from. */
  readonly windows: Windows;
  /** `KeyState.repaired` after the charge. */
  readonly repaired?: number | undefined;
}

export interface ChargeEnd extends GrantedCharge {
  /** The charged amounts less the used amounts of the call. Tokens are less than 0 if the call used more. */
  readonly unused: { readonly requests: 0 | 1; readonly tokens: number; readonly amount: NanoUsd };
  readonly cost: NanoUsd;
}

export interface KeyStore {
  /**
   * Deducts one request, `tokens` and `amount` from the charge's windows if the key is active, in scope and every
   * window suffices. Otherwise changes nothing and returns the current state. The state is as of the charge's windows.
   * A charge whose response was lost may be counted twice, so the remaining amount can be too low but never too high.
   */
  charge(charge: KeyCharge): Promise<ChargeResult>;
  /**
   * Credits the unused amounts of a call to those of its windows that are still current. Sent at most once, and applied
   * only if the caps have not been repaired since the charge. Otherwise it deducts the cost, because the repair may
   * have missed the call's record. Only the writer of that record may call this, and only once.
   */
  settle(keyId: string, end: ChargeEnd): Promise<void>;
  /**
   * Sets what is left of the caps of these windows, if the key has not been charged since it was read, and its caps are
   * as they were then. Returns whether it has.
   */
  repair(from: KeyState, windows: Windows, capsLeft: CapsLeft): Promise<boolean>;
  /** Returns the key's state as of these windows; by default those of the store's clock. */
  read(keyId: string, windows?: Windows): Promise<KeyState | undefined>;
  /**
   * Writes the key's entry of a lease. Throws if no response arrived. An opening is sent once; any other write does
   * nothing to another entry than `from`.
   */
  writeLease(write: KeyLeaseWrite): Promise<LeaseResult<KeyState>>;
}
