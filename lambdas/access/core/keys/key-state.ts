/**
 * The state of a key at a given time: identity, policy and the remaining amounts of the current windows. Also the
 * reason for which it rejects a call.
 */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import { formatUsd, type NanoUsd } from '../../../platform/core/money.ts';
import { invalidKey, type VerifiedKey } from './api-key.ts';
import { byWindow, CAPS, type Cap, type CapsLeft } from './caps.ts';
import type { LeaseEntry } from './key-leases.ts';
import type { Policy } from './policy.ts';
import { minuteEndsInMs, type Windows } from './windows.ts';

/** Requests a minute of a key whose policy sets none (interface, Limits). */
export const DEFAULT_RPM = 100;

/**
 * The initial remainder of a cap that the policy does not set. It exceeds every possible sum of holds and fits exactly
 * in DynamoDB's 38 digits. Spend is always `cap - left`, so it needs no separate counter.
 */
export const UNLIMITED = 1_000_000_000_000_000_000_000_000n;

export const KEY_STATUSES = ['active', 'disabled', 'revoked'] as const;

export interface KeyState extends CapsLeft {
  readonly keyId: string;
  readonly accountId: string;
  readonly secretHash: string;
  /** The secret before it, while both are good. */
  readonly previous?: { readonly secretHash: string /** Seconds since the epoch. */; readonly until: number };
  readonly name: string;
  readonly status: (typeof KEY_STATUSES)[number];
  readonly policy: Policy;
  /** Changes with the name, the policy and the status. A change applies only to the version that was read. */
  readonly version: number;
  /** Seconds since the epoch. */
  readonly created: number;
  readonly requestsLeft: number;
  readonly tokensLeft: bigint;
  /** The time at which a call last took an amount, in seconds since the epoch. Absent before the first such call. */
  readonly used?: number;
  /** Limits that processes have taken in advance, by the id of the lease. Absent if there are none. */
  readonly leases?: ReadonlyMap<string, LeaseEntry>;
  /** The value of `used` at the last repair of the caps. Absent before the first repair. */
  readonly repaired?: number;
}

/** The amounts that one call charges to the windows of its key. */
export interface KeyCharge {
  readonly key: VerifiedKey;
  readonly windows: Windows;
  readonly tokens: number;
  readonly amount: NanoUsd;
  /** Absent for a call that runs no model, such as reading usage. */
  readonly scope?: CallScope;
}

/** The kind and the models of a call. The policy of its key must allow them. */
export interface CallScope {
  readonly kind: Kind;
  /** Each model by all its names, the catalog id first: a policy may list any of them. */
  readonly models: readonly (readonly string[])[];
}

export const rpmOf = (policy: Policy): number => policy.rpm ?? DEFAULT_RPM;
export const tpmOf = (policy: Policy): bigint => (policy.tpm === undefined ? UNLIMITED : BigInt(policy.tpm));
export const capOf = (policy: Policy, { field }: Cap): NanoUsd => policy[field] ?? UNLIMITED;

/** Returns what the calls of the windows have taken from the caps, open holds included. */
export const spendOf = (state: KeyState): Readonly<Record<Cap['window'], NanoUsd>> =>
  byWindow((cap) => capOf(state.policy, cap) - state[cap.left]);

/**
 * Returns the reason why a key rejects a charge, or undefined if it accepts the charge. Checks in the order of the
 * interface: authentication, scope, limits, caps. `state` is as of the windows of the charge.
 */
export function rejectionOf(
  state: KeyState | undefined,
  charge: KeyCharge,
  nowMs: number,
): ServiceError | undefined {
  const { accountId, secretHash } = charge.key;
  if (
    state?.status !== 'active' ||
    state.accountId !== accountId ||
    matchingSecret(state, secretHash, nowMs) === undefined
  )
    return invalidKey();
  return (
    rejectionByScope(state.policy, charge) ??
    rejectionByRate(state, charge, nowMs) ??
    rejectionByCap(state, charge)
  );
}

/** The secrets of a key that are valid: the second one after a rotation, for a time. */
export type MatchingSecret = 'current' | 'previous';

/** Returns which valid secret of a key has a hash; undefined if neither has. */
export function matchingSecret(
  { secretHash, previous }: KeyState,
  presentedHash: string,
  nowMs: number,
): MatchingSecret | undefined {
  if (presentedHash === secretHash) return 'current';
  const isPrevious = presentedHash === previous?.secretHash && previous.until > Math.floor(nowMs / 1000);
  return isPrevious ? 'previous' : undefined;
}

function rejectionByScope(policy: Policy, { scope }: KeyCharge): ServiceError | undefined {
  if (scope === undefined) return undefined;
  if (policy.allowed_kinds !== undefined && !policy.allowed_kinds.includes(scope.kind)) {
    return new ServiceError('kind_not_allowed', `This API key may not make ${scope.kind} calls.`);
  }
  const allowed = policy.allowed_models;
  if (allowed === undefined) return undefined;
  const rejectedModel = scope.models.find((names) => !names.some((name) => allowed.includes(name)));
  if (rejectedModel === undefined) return undefined;
  const message = `This API key may not use the model ${JSON.stringify(rejectedModel[0])}.`;
  return new ServiceError('model_not_allowed', message, { param: 'model' });
}

function rejectionByRate(state: KeyState, charge: KeyCharge, nowMs: number): ServiceError | undefined {
  const retryAfterSeconds = Math.ceil(minuteEndsInMs(nowMs) / 1000);
  if (state.requestsLeft < 1) {
    const message = `This API key is limited to ${rpmOf(state.policy)} requests a minute.`;
    return new ServiceError('requests_per_minute', message, { retryAfterSeconds });
  }
  // An overrun leaves less than nothing; a request that takes no tokens may pass all the same.
  if (charge.tokens === 0 || state.tokensLeft >= BigInt(charge.tokens)) return undefined;
  const tpm = tpmOf(state.policy);
  if (tpm < BigInt(charge.tokens)) return exceedsEveryMinute(charge.tokens, tpm, retryAfterSeconds);
  const message = `This API key is limited to ${tpm} tokens a minute.`;
  return new ServiceError('tokens_per_minute', message, { retryAfterSeconds });
}

/** The error for a call that counts as more tokens than a minute has: it passes in no minute. */
function exceedsEveryMinute(tokens: number, tpm: bigint, retryAfterSeconds: number): ServiceError {
  const message =
    `This call counts as ${tokens} tokens, more than the ${tpm} tokens a minute of this API key: ` +
    'lower its output limit, such as max_tokens, or shorten its prompt.';
  const headers = { 'x-should-retry': 'false' };
  return new ServiceError('tokens_per_minute', message, { retryAfterSeconds, headers });
}

function rejectionByCap(state: KeyState, { amount }: KeyCharge): ServiceError | undefined {
  const exceeded = amount === 0n ? undefined : CAPS.find(({ left }) => state[left] < amount);
  if (exceeded === undefined) return undefined;
  const cap = `${formatUsd(capOf(state.policy, exceeded))} USD ${exceeded.period}`;
  return new ServiceError(
    exceeded.code,
    `The estimate for this call, ${formatUsd(amount)} USD, would exceed this API key's cap of ${cap}.`,
  );
}

/** Returns whether a cap of the key rejected the call. */
export const isCapRejection = (failure: unknown): boolean =>
  failure instanceof ServiceError && CAPS.some(({ code }) => code === failure.code);

/** OpenAI's duration form: `850ms`, `12.5s`, `1m0s`. */
export function formatDuration(ms: number): string {
  if (ms < 1000) return `${ms}ms`;
  const minutes = Math.floor(ms / 60_000);
  const seconds = (ms % 60_000) / 1000;
  return minutes === 0 ? `${seconds}s` : `${minutes}m${seconds}s`;
}

export function rateLimitHeaders(state: KeyState, nowMs: number): Record<string, string> {
  const reset = formatDuration(minuteEndsInMs(nowMs));
  const headers: Record<string, string> = {
    'x-ratelimit-limit-requests': String(rpmOf(state.policy)),
    'x-ratelimit-remaining-requests': String(Math.max(0, state.requestsLeft)),
    'x-ratelimit-reset-requests': reset,
  };
  if (state.policy.tpm !== undefined) {
    headers['x-ratelimit-limit-tokens'] = String(state.policy.tpm);
    headers['x-ratelimit-remaining-tokens'] = String(state.tokensLeft < 0n ? 0n : state.tokensLeft);
    headers['x-ratelimit-reset-tokens'] = reset;
  }
  return headers;
}
