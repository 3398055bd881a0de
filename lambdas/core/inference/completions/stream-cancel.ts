/**
 * Whether a stream is closed at the provider when its caller leaves. The route's catalog entry says that this stops the
 * cost. Where a model may think unseen, the caller could leave with the whole answer and without what it was thought out
 * by, so such a stream is read to its end, as are all others.
 */
import type { Route } from '../catalog/catalog-document.ts';
import { isPriced } from '../fields/need.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/** The fields by which callers ask a model to think, under the names of all protocols and hosts. */
const ASKING = [
  'reasoning_effort',
  'reasoning',
  'thinking',
  'output_config',
  'enable_thinking',
  'chat_template_kwargs',
  'prompt_mode',
];

export function canCancel(
  { cancels, reasoning, dialect = {} }: Pick<Route, 'cancels' | 'reasoning' | 'dialect'>,
  { body, fields }: Pick<ChatPayload, 'body' | 'fields'>,
): boolean {
  const thinks = reasoning || Object.keys(dialect).some((name) => name.startsWith('reasoning_'));
  // What a provider's own tools have done is counted at the end.
  const uses = fields.needs.some(isPriced) || fields.undocumented.some(({ needs }) => needs.length > 0);
  const asked = new Set(fields.undocumented.map(({ pattern }) => pattern));
  return cancels && !thinks && !uses && ASKING.every((name) => body[name] == null && !asked.has(name));
}
