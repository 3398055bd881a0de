/**
 * Cache breakpoints in a conversation for a provider's prompt cache (Claude docs, Prompt caching; Amazon Bedrock user
 * guide, Prompt caching). A prompt is read in the order tools, system texts, turns. A cache breakpoint covers
 * everything up to its position.
 */
import { isJsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Candidate } from '../catalog/catalog-document.ts';
import type { Need, PricedFeature } from '../fields/need.ts';
import {
  CACHE_LIFETIMES,
  type CacheBreakpoint,
  type CacheLifetime,
  type Conversation,
  type Tool,
  type Turn,
} from './conversation.ts';
import type { ChatPayload } from './provider.ts';

/** Returns the lifetime of a cache breakpoint to send, or undefined to drop the breakpoint. */
export type BreakpointRule = (requestedLifetime: CacheLifetime) => CacheLifetime | undefined;

/** Returns the cache breakpoint of a field `cache_control`. Undefined for any other value or another lifetime. */
export function cacheLifetimeOf(control: unknown): CacheLifetime | undefined {
  if (!isJsonObject(control)) return undefined;
  const { ttl } = control;
  if (ttl === undefined || ttl === null) return '5m';
  return ttl === '5m' || ttl === '1h' ? ttl : undefined;
}

/** Returns the cache breakpoint of the field, as a property of the part that has it. */
export function cacheBreakpointOf(control: unknown): CacheBreakpoint {
  const cache = cacheLifetimeOf(control);
  return cache === undefined ? {} : { cache };
}

/** Returns the system texts and their cache breakpoints in the form of a conversation. */
export function systemOf(
  systemTexts: readonly (CacheBreakpoint & { readonly text: string })[],
): Pick<Conversation, 'system' | 'systemCache'> {
  const breakpoints = new Map<number, CacheLifetime>();
  for (const [index, { cache }] of systemTexts.entries())
    if (cache !== undefined) breakpoints.set(index, cache);
  return {
    system: systemTexts.map(({ text }) => text),
    ...(breakpoints.size === 0 ? {} : { systemCache: breakpoints }),
  };
}

/** Returns the system texts, each with its cache breakpoint. */
export const systemTextsOf = ({
  system,
  systemCache,
}: Pick<Conversation, 'system' | 'systemCache'>): readonly (CacheBreakpoint & { readonly text: string })[] =>
  system.map((text, index) => {
    const cache = systemCache?.get(index);
    return { text, ...(cache === undefined ? {} : { cache }) };
  });

/**
 * Returns the turns with a cache breakpoint on the last part that supports one. A breakpoint of the whole request has
 * this meaning (Claude docs, Prompt caching, Automatic caching). A part with a breakpoint retains it.
 */
export function withLastBreakpoint(
  turns: readonly Turn[],
  cache: CacheLifetime | undefined,
): readonly Turn[] {
  if (cache === undefined) return turns;
  const at = turns.findLastIndex(({ parts }) => parts.some(isCacheable));
  return turns.map((turn, index) => (index === at ? withPartBreakpoint(turn, cache) : turn));
}

const isCacheable = (part: Turn['parts'][number]): boolean =>
  part.type !== 'reasoning' && !('text' in part && part.text.trim() === '');

function withPartBreakpoint<TurnLike extends Pick<Turn, 'parts'>>(
  turn: TurnLike,
  cache: CacheLifetime,
): TurnLike {
  const at = turn.parts.findLastIndex(isCacheable);
  const parts = turn.parts.map((part, index) => (index === at ? { cache, ...part } : part));
  return { ...turn, parts };
}

/**
 * The parts of a conversation that can have a cache breakpoint. Their vocabulary may differ from the conversation's.
 */
interface CacheableConversation extends Pick<Conversation, 'system' | 'systemCache'> {
  readonly tools: readonly Tool[];
  readonly turns: readonly { readonly parts: readonly object[] }[];
}

/** Applies the rule to every cache breakpoint of the conversation, in the order of the prompt. */
function withBreakpoints<Source extends CacheableConversation>(source: Source, rule: BreakpointRule): Source {
  const { systemCache: _breakpoints, ...conversation } = source;
  const tools = source.tools.map((tool) => withBreakpoint(tool, rule));
  const system = systemOf(systemTextsOf(source).map((text) => withBreakpoint(text, rule)));
  const turns = source.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => withBreakpoint(part, rule)),
  }));
  return { ...conversation, ...system, tools, turns } as unknown as Source;
}

function withBreakpoint<Item extends object>(item: Item, rule: BreakpointRule): Item {
  const { cache, ...unmarked } = item as Item & CacheBreakpoint;
  if (cache === undefined) return item;
  const sentLifetime = rule(cache);
  if (sentLifetime === cache) return item;
  return { ...unmarked, ...(sentLifetime === undefined ? {} : { cache: sentLifetime }) } as unknown as Item;
}

/** The maximum number of cache breakpoints in a request (Claude docs, Prompt caching). */
const MAX_BREAKPOINTS = 4;

/**
 * Returns the conversation with the cache breakpoints that Claude accepts: the last four, none with a longer lifetime
 * than an earlier one. See Claude docs, Prompt caching, Mixing different TTLs.
 */
export function withValidBreakpoints<Source extends CacheableConversation>(source: Source): Source {
  let excess = -MAX_BREAKPOINTS;
  const counted = withBreakpoints(source, (requestedLifetime) => {
    excess += 1;
    return requestedLifetime;
  });
  let longest: CacheLifetime = '1h';
  return withBreakpoints(counted, (requestedLifetime) => {
    excess -= 1;
    if (excess >= 0) return undefined;
    if (requestedLifetime === '5m') longest = requestedLifetime;
    return longest;
  });
}

/** Protocols that have a field for a cache breakpoint: `cache_control`, `cachePoint`. */
const MARKING: ReadonlySet<string> = new Set(['anthropic', 'bedrock']);

/**
 * Returns the rule of a candidate. A cache breakpoint has the requested lifetime, or else the longest shorter lifetime
 * that has a price.
 */
const ruleOf =
  ({ model, route }: Candidate): BreakpointRule =>
  (requestedLifetime) => {
    const { price } = model;
    if (!MARKING.has(route.protocol) || !route.capabilities.includes('cache')) return undefined;
    const writes = price.unit === 'per_million_tokens' ? price.cache_writes : undefined;
    return CACHE_LIFETIMES.slice(0, CACHE_LIFETIMES.indexOf(requestedLifetime) + 1).findLast(
      (lifetime) => writes?.[lifetime] !== undefined,
    );
  };

const isCacheLifetime = (lifetime: string): lifetime is CacheLifetime =>
  CACHE_LIFETIMES.some((cacheLifetime) => cacheLifetime === lifetime);

/** Returns the priced features that the cache breakpoints of the route request. */
export function sentBreakpoints(candidate: Candidate, needs: readonly Need[]): readonly PricedFeature[] {
  const rule = ruleOf(candidate);
  return needs.flatMap((need): PricedFeature[] => {
    if (need.kind !== 'cache-write' || !isCacheLifetime(need.lifetime)) return [];
    const lifetime = rule(need.lifetime);
    return lifetime === undefined ? [] : [{ ...need, lifetime }];
  });
}

/** Returns the payload whose conversation has only the cache breakpoints that the route receives. */
export const withSentBreakpoints = (candidate: Candidate, payload: ChatPayload): ChatPayload =>
  payload.protocol === candidate.route.protocol
    ? payload
    : { ...payload, conversation: () => withBreakpoints(payload.conversation(), ruleOf(candidate)) };
