/**
 * Enforces WAF's rate rules with fixed windows: WAF itself counts approximately over a sliding one, so any limit that
 * a client meets here it may meet there.
 */
import type { RateRule } from '../assembly/api/web-acls.ts';
import type { GatewayRequestContext } from './request-context.ts';

/** Returns the rule that the request exceeds, if any; counts it for each of the rules. */
export type RateLimiter = (
  rules: readonly RateRule[],
  context: GatewayRequestContext,
) => RateRule | undefined;

interface Window {
  index: number;
  readonly counts: Map<string, number>;
}

/** `limit` replaces the rules' own limits; 0 lifts them. */
export function createRateLimiter(limit?: number): RateLimiter {
  const windows = new Map<string, Window>();
  return (rules, { sourceIp, startedMs }) => {
    if (limit === 0) return undefined;
    const exceeded = rules.filter((rule) => {
      const window = currentWindow(windows, rule, startedMs);
      const count = (window.counts.get(sourceIp) ?? 0) + 1;
      window.counts.set(sourceIp, count);
      return count > (limit ?? rule.limit);
    });
    return exceeded[0];
  };
}

function currentWindow(windows: Map<string, Window>, rule: RateRule, nowMs: number): Window {
  const index = Math.floor(nowMs / (rule.windowSeconds * 1000));
  const rateWindow = windows.get(rule.id);
  if (rateWindow?.index === index) return rateWindow;
  const window = { index, counts: new Map<string, number>() };
  windows.set(rule.id, window);
  return window;
}
