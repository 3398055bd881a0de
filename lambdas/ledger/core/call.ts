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
 * The output that a call may be admitted with, tokens of each choice: the most that wallet and key leave. Both ends are
 * the same unless the caller leaves the output to the service, so that a small wallet is not shut out by an output that
 * nobody asked for. 0 of calls without tokens.
 */
export interface OutputRange {
  readonly least: number;
  readonly most: number;
}

export const NO_OUTPUT: OutputRange = { least: 0, most: 0 };
