/** OpenAI's rate-limit headers for a key (OpenAI API documentation, Rate limits, "Rate limits in headers"). */
import { type KeyState, rpmOf } from './key-state.ts';
import { minuteEndsInMs } from './windows.ts';

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
