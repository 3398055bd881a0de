/**
 * The flags of the header `anthropic-beta` (Claude API docs, Beta headers), each identified by its name without the
 * date. A route receives the flags that it lists. A route without a list receives the flags that change neither the
 * cost of a call nor the data that is retained. If a flag unlocks a priced feature, such as a server tool, the
 * feature's own field is checked instead.
 */
import * as z from 'zod';

export const beta = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/, 'must be the name of a beta, of A-Z a-z 0-9 . _ -');

/** Flags that are forwarded to a route that lists no betas. They affect the request and the response only. */
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
  'thinking-binding-controls',
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
  flags: readonly string[],
  { betas }: { readonly betas?: readonly string[] | undefined },
): readonly string[] =>
  flags.filter((flag) => (betas === undefined ? HARMLESS.has(betaName(flag)) : betas.includes(flag)));

/** Returns whether a listed flag has a price that the model must list as a tier. */
export const isLongPrompts = (flag: string): boolean => betaName(flag) === LONG_PROMPTS;

/**
 * Fields that only one of these betas unlocks. Without them the response is the same. They affect the cost and size of
 * a long conversation, when and how tools are read, and whether a changed conversation is an error (Claude API docs,
 * Context editing; Advanced tool use; Preserved thinking).
 */
const UNLOCKED_BY: Readonly<Record<string, readonly string[]>> = {
  context_management: ['context-management'],
  'tools[].defer_loading': ['advanced-tool-use', 'tool-search-tool'],
  'tools[].input_examples': ['advanced-tool-use', 'tool-examples'],
  'tools[].eager_input_streaming': ['fine-grained-tool-streaming'],
  'thinking.block_binding': ['thinking-binding-controls'],
};

/** The patterns of the fields that none of these flags unlocks: a request is sent without them. */
export function lockedFields(flags: readonly string[]): readonly string[] {
  const names = new Set(flags.map(betaName));
  return Object.entries(UNLOCKED_BY).flatMap(([field, betas]) =>
    betas.some((name) => names.has(name)) ? [] : [field],
  );
}
