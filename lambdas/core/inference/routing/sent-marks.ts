/**
 * Which marks for a prompt cache a route of another protocol than the caller's gets: those whose write its model has a
 * price for, where the route's host caches. All others are left out, because the answer is the same without them.
 */
import type { Candidate } from '../catalog/catalog-document.ts';
import type { Need, PricedFeature } from '../fields/need.ts';
import { type MarkRule, withMarks } from '../upstream/cache-marks.ts';
import { CACHE_LIFETIMES, type CacheLifetime } from '../upstream/conversation.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/** Protocols that have a place for a mark: `cache_control`, `cachePoint`. */
const MARKING: ReadonlySet<string> = new Set(['anthropic', 'bedrock']);

/** A mark is sent for as long as was asked, or else for the longest shorter time that has a price. */
const ruleOf =
  ({ model, route }: Candidate): MarkRule =>
  (asked) => {
    const { price } = model;
    if (!MARKING.has(route.protocol) || !route.capabilities.includes('cache')) return undefined;
    const writes = price.unit === 'per_million_tokens' ? price.cache_writes : undefined;
    return CACHE_LIFETIMES.slice(0, CACHE_LIFETIMES.indexOf(asked) + 1).findLast(
      (lifetime) => writes?.[lifetime] !== undefined,
    );
  };

const isMark = (lifetime: string): lifetime is CacheLifetime =>
  CACHE_LIFETIMES.some((known) => known === lifetime);

/** What the marks that the route gets ask for. */
export function sentMarks(candidate: Candidate, needs: readonly Need[]): readonly PricedFeature[] {
  const rule = ruleOf(candidate);
  return needs.flatMap((need): PricedFeature[] => {
    if (need.kind !== 'cache-write' || !isMark(need.lifetime)) return [];
    const lifetime = rule(need.lifetime);
    return lifetime === undefined ? [] : [{ ...need, lifetime }];
  });
}

/** The payload whose conversation has the marks that the route gets, and no others. */
export const withSentMarks = (candidate: Candidate, payload: ChatPayload): ChatPayload =>
  payload.protocol === candidate.route.protocol
    ? payload
    : { ...payload, conversation: () => withMarks(payload.conversation(), ruleOf(candidate)) };
