/**
 * The flags of the header `anthropic-beta` (Claude API docs, Beta headers), each known by its name without the date. A
 * route takes those that it lists; one that lists none takes those that change neither what a call costs nor what is kept
 * of it. What a flag unlocks and a price is needed for, such as a tool of the provider, is judged by its own field.
 */
import * as z from 'zod';

export const beta = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a beta, of A-Z a-z 0-9 . _ -');

/** Forwarded to a route that lists no betas: they shape the request and the answer alone. */
const HARMLESS: ReadonlySet<string> = new Set([
  'adaptive-thinking',
  'advanced-tool-use',
  'claude-code',
  'computer-use',
  'context-management',
  'effort',
  'extended-cache-ttl',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'max-tokens-3-5-sonnet',
  'mid-conversation-tool-changes',
  'model-context-window-exceeded',
  'output-128k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-scope',
  'search-results',
  'structured-outputs',
  'thinking-token-count',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
  'tool-search-tool',
  'web-fetch',
  'web-search',
]);

/** Prompts beyond the usual window, which Anthropic charges at the rates of a tier (Claude API docs, Pricing, Long context). */
const LONG_PROMPTS = 'context-1m';

/** The name of a flag, without the date at its end, in either of two spellings. */
export const betaName = (flag: string): string => flag.replace(/-\d{4}-?\d{2}-?\d{2}$/, '');

/** Returns the flags of a request that the route receives, in their order. */
export const allowedBetas = (
  given: readonly string[],
  { betas }: { readonly betas?: readonly string[] | undefined },
): readonly string[] =>
  given.filter((flag) => (betas === undefined ? HARMLESS.has(betaName(flag)) : betas.includes(flag)));

/** Returns whether a listed flag has a price that the model must list as a tier. */
export const isLongPrompts = (flag: string): boolean => betaName(flag) === LONG_PROMPTS;

/**
 * Fields that only one of these betas unlocks, and without which the answer is the same: what a long conversation costs and
 * holds, and when and how tools are read (Claude API docs, Context editing; Advanced tool use).
 */
const UNLOCKED_BY: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management'],
  'tools[].defer_loading': ['advanced-tool-use', 'tool-search-tool'],
  'tools[].input_examples': ['advanced-tool-use', 'tool-examples'],
  'tools[].eager_input_streaming': ['fine-grained-tool-streaming'],
};

/** The patterns of the fields that none of these flags unlocks: a request is sent without them. */
export function lockedFields(flags: readonly string[]): readonly string[] {
  const names = new Set(flags.map(betaName));
  return Object.entries(UNLOCKED_BY).flatMap(([field, betas]) =>
    betas.some((name) => names.has(name)) ? [] : [field],
  );
}
