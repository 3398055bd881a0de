/** The content blocks of an answer, in the formats that have blocks. */
import type { ModelChoice, ModelToolCall } from '../model/model.ts';
import { splitIntoTokens } from '../model/tokens.ts';

/** `text` is the thought, the text, or the arguments of the call. */
export type OutputBlock =
  | { readonly kind: 'thinking'; readonly text: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'call'; readonly text: string; readonly call: ModelToolCall };

/** The blocks of an answer, in order; an empty text has no block. */
export function contentBlocksOf({ thinking, text = '', toolCalls }: ModelChoice): OutputBlock[] {
  return [
    ...(thinking === undefined ? [] : [{ kind: 'thinking' as const, text: thinking }]),
    ...(text === '' ? [] : [{ kind: 'text' as const, text }]),
    ...toolCalls.map((call) => ({ kind: 'call' as const, text: call.arguments, call })),
  ];
}

/** The pieces of a block. Arguments begin with an empty one, which is all that a call without arguments has. */
export function* fragmentsOf({ kind, text }: OutputBlock): Generator<string> {
  if (kind === 'call') yield '';
  if (kind !== 'call' || text !== '{}') yield* splitIntoTokens(text);
}
