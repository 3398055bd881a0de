/** A paid call, as the ledger knows it: its request, its admission and its settlement. */
import type { VerifiedKey } from '../../access/core/keys/api-key.ts';
import type { CallScope } from '../../access/core/keys/key-state.ts';
import type { GrantedCharge } from '../../access/core/keys/key-store.ts';
import type { NanoUsd } from '../../platform/core/money.ts';
import type { Clock } from '../../platform/core/ports.ts';
import type { Hold } from './ports.ts';
import type { AttemptRecord, CallOutcome, UsageRecord } from './usage-record.ts';

/** A paid call, as the ledger admits it. */
export interface Call {
  readonly requestId: string;
  readonly key: VerifiedKey;
  readonly scope: CallScope;
  /** The caller's `traceparent`, if its request had a valid one. */
  readonly traceparent?: string | undefined;
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

/** An admitted call: its amount is held until it is settled. */
export interface Admission {
  /** The output that it was admitted with, tokens of each choice; within the call's range. */
  readonly output: number;
  /** The most that the call may cost: what is held for it. */
  readonly amount: NanoUsd;
  /** The minimum spend of the account. It excludes only the spend from shards of its wallet that were not read. */
  readonly spentAmount: NanoUsd;
  /** The hold of the call, and the charge of its key. Absent if a lease of the process covers the call. */
  readonly held?: { readonly hold: Hold; readonly charge: GrantedCharge };
  /** Rate-limit headers as of the admission. */
  readonly headers: Readonly<Record<string, string>>;
  /** Records the start of an attempt of a route. Returns the function that records its failure. */
  startAttempt?(route: string): (failure: string) => void;
  /** Records that the first content of a stream has arrived. */
  recordContent?(): void;
  /** Returns what the usage record states about the progress of the call until now. */
  observed?(): CallProgress;
  /** Settles the call; a second call of it returns the first one's result. */
  settle(outcome: CallOutcome): Promise<Settlement>;
}

export type CallProgress = Pick<
  UsageRecord,
  'attempts' | 'routeAttempts' | 'durationMs' | 'firstTokenMs' | 'traceparent'
>;

/** Observes the progress of an admitted call for its record. */
export function observeCall(clock: Clock, traceparent: string | undefined) {
  const admittedMs = clock();
  const passedMs = () => Math.max(0, clock() - admittedMs);
  const started: { route: string; startMs: number; endMs?: number; failure?: string }[] = [];
  let firstTokenMs: number | undefined;
  return {
    startAttempt(route: string) {
      const attempt: (typeof started)[number] = { route, startMs: passedMs() };
      started.push(attempt);
      return (failure: string) => {
        attempt.endMs = passedMs();
        attempt.failure = failure;
      };
    },
    recordContent(): void {
      firstTokenMs ??= passedMs();
    },
    observed(): CallProgress {
      const durationMs = passedMs();
      const routeAttempts = started.map(
        ({ endMs = durationMs, ...attempt }): AttemptRecord => ({
          ...attempt,
          durationMs: Math.max(0, endMs - attempt.startMs),
        }),
      );
      return {
        attempts: started.length,
        durationMs,
        ...(started.length === 0 ? {} : { routeAttempts }),
        ...(firstTokenMs === undefined ? {} : { firstTokenMs }),
        ...(traceparent === undefined ? {} : { traceparent }),
      };
    },
  };
}

/** A call that has ended. */
export interface Settlement {
  readonly record: UsageRecord;
  /** The balance after the refund; undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}
