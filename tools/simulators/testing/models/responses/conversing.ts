/** Requests to the simulated Responses API, and what its answers become in the next request. */
import type OpenAI from 'openai';

export type Item = OpenAI.Responses.ResponseInputItem;

/** A model that always thinks, asked to keep nothing and to show what proves its reasoning. */
export const REASONING = {
  model: 'reasoner',
  store: false,
  include: ['reasoning.encrypted_content'],
  reasoning: { effort: 'low', summary: 'auto' },
} satisfies OpenAI.Responses.ResponseCreateParamsNonStreaming;

export const TOOLS: OpenAI.Responses.Tool[] = [
  {
    type: 'function',
    name: 'lookup',
    strict: true,
    parameters: {
      type: 'object',
      properties: { place: { type: 'string' } },
      required: ['place'],
      additionalProperties: false,
    },
  },
  { type: 'custom', name: 'apply_patch' },
];

/** Two calls at once, then one more. */
export const SCRIPT = [
  'Please work.',
  'call lookup {"place":"Oslo"}',
  'create file notes/a.txt:',
  'one',
  'two',
  'end file',
  'then',
  'call lookup {"place":"Bergen"}',
].join('\n');

/** The next request's input: what was asked, what was answered, and a result of each call. */
export function continued(
  items: readonly Item[],
  output: readonly OpenAI.Responses.ResponseOutputItem[],
): Item[] {
  const results = output.flatMap((item): Item[] => {
    if (item.type === 'function_call')
      return [{ type: 'function_call_output', call_id: item.call_id, output: 'found' }];
    if (item.type === 'custom_tool_call')
      return [{ type: 'custom_tool_call_output', call_id: item.call_id, output: 'patched' }];
    return [];
  });
  return [...items, ...(output as Item[]), ...results];
}
