/**
 * Marks for a provider's prompt cache in a conversation (Claude docs, Prompt caching; Amazon Bedrock user guide, Prompt
 * caching). A prompt is read in the order tools, system texts, turns; a mark covers everything up to its place.
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

/** The lifetime of a mark as it is sent, or undefined to leave the mark out. */
export type MarkRule = (asked: CacheLifetime) => CacheLifetime | undefined;

/** The mark of a field `cache_control`; undefined for what is no mark, or asks for another lifetime. */
export function cacheMarkOf(control: unknown): CacheLifetime | undefined {
  if (!isJsonObject(control)) return undefined;
  const { ttl } = control;
  if (ttl === undefined || ttl === null) return '5m';
  return ttl === '5m' || ttl === '1h' ? ttl : undefined;
}

/** The mark of the field, as a property of what it marks. */
export function cacheMark(control: unknown): CacheBreakpoint {
  const cache = cacheMarkOf(control);
  return cache === undefined ? {} : { cache };
}

/** System texts and the marks of them, as a conversation has both. */
export function systemOf(
  texts: readonly (CacheBreakpoint & { readonly text: string })[],
): Pick<Conversation, 'system' | 'systemCache'> {
  const marks = new Map<number, CacheLifetime>();
  for (const [index, { cache }] of texts.entries()) if (cache !== undefined) marks.set(index, cache);
  return { system: texts.map(({ text }) => text), ...(marks.size === 0 ? {} : { systemCache: marks }) };
}

/** System texts, each with its mark. */
export const markedSystem = ({
  system,
  systemCache,
}: Pick<Conversation, 'system' | 'systemCache'>): readonly (CacheBreakpoint & { readonly text: string })[] =>
  system.map((text, index) => {
    const cache = systemCache?.get(index);
    return { text, ...(cache === undefined ? {} : { cache }) };
  });

/**
 * The turns with a mark on the last part that can have one, which is what a mark of the whole request means (Claude
 * docs, Prompt caching, Automatic caching). A part that is marked keeps its own.
 */
export function withLastMarked(turns: readonly Turn[], cache: CacheLifetime | undefined): readonly Turn[] {
  if (cache === undefined) return turns;
  const at = turns.findLastIndex(({ parts }) => parts.some(isCacheable));
  return turns.map((turn, index) => (index === at ? withPartMarked(turn, cache) : turn));
}

const isCacheable = (part: Turn['parts'][number]): boolean =>
  part.type !== 'reasoning' && !('text' in part && part.text.trim() === '');

function withPartMarked<Marked extends Pick<Turn, 'parts'>>(turn: Marked, cache: CacheLifetime): Marked {
  const at = turn.parts.findLastIndex(isCacheable);
  const parts = turn.parts.map((part, index) => (index === at ? { cache, ...part } : part));
  return { ...turn, parts };
}

/** The parts of a conversation that can be marked. They may be of another vocabulary than the conversation's own. */
interface MarkedConversation extends Pick<Conversation, 'system' | 'systemCache'> {
  readonly tools: readonly Tool[];
  readonly turns: readonly { readonly parts: readonly object[] }[];
}

/** The conversation with every mark as the rule has it, which is asked in the order of the prompt. */
function withMarks<Given extends MarkedConversation>(given: Given, rule: MarkRule): Given {
  const { systemCache: _marks, ...conversation } = given;
  const tools = given.tools.map((tool) => withMark(tool, rule));
  const system = systemOf(markedSystem(given).map((text) => withMark(text, rule)));
  const turns = given.turns.map((turn) => ({
    ...turn,
    parts: turn.parts.map((part) => withMark(part, rule)),
  }));
  return { ...conversation, ...system, tools, turns } as unknown as Given;
}

function withMark<Item extends object>(item: Item, rule: MarkRule): Item {
  const { cache, ...unmarked } = item as Item & CacheBreakpoint;
  if (cache === undefined) return item;
  const sent = rule(cache);
  if (sent === cache) return item;
  return { ...unmarked, ...(sent === undefined ? {} : { cache: sent }) } as unknown as Item;
}

/** The most marks of a request (Claude docs, Prompt caching). */
const MAX_MARKS = 4;

/**
 * The conversation with marks as Claude takes them: the last four, and none for longer than one before it (Claude docs,
 * Prompt caching, Mixing different TTLs).
 */
export function withSoundMarks<Given extends MarkedConversation>(given: Given): Given {
  let excess = -MAX_MARKS;
  const counted = withMarks(given, (asked) => {
    excess += 1;
    return asked;
  });
  let longest: CacheLifetime = '1h';
  return withMarks(counted, (asked) => {
    excess -= 1;
    if (excess >= 0) return undefined;
    if (asked === '5m') longest = asked;
    return longest;
  });
}

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

/** Returns the priced features that the marks of the route request. */
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
