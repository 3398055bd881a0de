/**
 * Whether a model may write what its stream does not show. The caller of such a call could leave just before its end,
 * with the whole answer and without what it was thought out by, so it is read to the end all the same.
 */
import type { Route } from '../catalog/catalog-document.ts';
import type { ChatPayload } from '../upstream/provider.ts';

/** Models of these protocols think without being asked, and show at most a summary of it. */
const UNASKED: ReadonlySet<Route['protocol']> = new Set(['openai-responses', 'gemini']);

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

/** True unless the text of the stream is all that the route counts. */
export function mayWriteUnseen(
  { protocol, reasoning, dialect = {} }: Pick<Route, 'protocol' | 'reasoning' | 'dialect'>,
  { body, demands }: Pick<ChatPayload, 'body' | 'demands'>,
): boolean {
  const thinks = reasoning || Object.keys(dialect).some((name) => name.startsWith('reasoning_'));
  // What a provider's own tools have done is counted at the end.
  const uses = demands.length > 0;
  return thinks || uses || UNASKED.has(protocol) || ASKING.some((name) => body[name] != null);
}
