/** The request of a paid call to the ledger. */
import type { VerifiedKey } from '../../access/core/api-key.ts';
import type { CallScope } from '../../access/core/key-state.ts';
import type { NanoUsd } from '../../platform/core/money.ts';

/** A paid call, as the ledger admits it. */
export interface Call {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly scope: CallScope;
  readonly output: OutputRange;
  /** The tokens that count against the key's tokens a minute, with that output. More output is never fewer. */
  readonly tokens: (output: number) => number;
  /** The most that the call can cost with that output: its hold. More output is never cheaper. */
  readonly cost: (output: number) => NanoUsd;
}

/**
 * The range of outputs that a call may be admitted with, in tokens of each choice. The call gets the largest that
 * wallet and key cover. Both ends are equal unless the caller leaves the output to the service. A small wallet is
 * therefore not rejected for an output that the caller did not request. 0 for calls without tokens.
 */
export interface OutputRange {
  readonly min: number;
  readonly max: number;
}

export const NO_OUTPUT: OutputRange = { min: 0, max: 0 };
