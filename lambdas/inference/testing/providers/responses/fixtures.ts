/**
 * A streamed response in the shapes that OpenAI publishes (API reference, Streaming events; types of the package
 * `openai` 7.55.0): it thinks, says something, and calls a tool.
 */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { ChatPayload, RouteEvent } from '../../../core/upstream/provider.ts';
import type { ResponsesCallContext } from '../../../providers/responses/response.ts';
import { ResponsesStreamReader } from '../../../providers/responses/stream.ts';
import { convertedPayload, nativePayloadOf } from '../payloads.ts';
import { SIGNATURES } from '../sealing.ts';
import { collect, decodedBy, wire } from '../streams.ts';

/** Stands in everything of the upstream's that no caller may see. */
export const CANARY = 'heron-7f3a';

export const IDENTITY = { id: 'resp_01ARZ3NDEKTSV4RRFFQ69G5FAV', model: 'sim/chat' };

export const REASONING = {
  id: `rs_${CANARY}`,
  type: 'reasoning',
  summary: [
    { type: 'summary_text', text: 'First.' },
    { type: 'summary_text', text: 'Then Łódź.' },
  ],
  encrypted_content: `gAAAA${CANARY}`,
};

const MESSAGE = {
  id: `msg_${CANARY}`,
  type: 'message',
  status: 'completed',
  role: 'assistant',
  content: [{ type: 'output_text', text: 'Grüße, 世界', annotations: [], logprobs: [] }],
};

const CALLED = {
  id: `fc_${CANARY}`,
  type: 'function_call',
  status: 'completed',
  call_id: 'call_a',
  name: 'get_weather',
  arguments: '{"city":"Łódź"}',
};

export const RESPONSE = {
  id: `resp_${CANARY}`,
  object: 'response',
  created_at: 1_780_000_000,
  status: 'completed',
  error: null,
  incomplete_details: null,
  model: `gpt-${CANARY}`,
  output: [REASONING, MESSAGE, CALLED],
  parallel_tool_calls: true,
  temperature: 0.7,
  service_tier: 'default',
  billing: { payer: CANARY },
  usage: {
    input_tokens: 30,
    input_tokens_details: { cached_tokens: 10, cache_write_tokens: 4 },
    output_tokens: 20,
    output_tokens_details: { reasoning_tokens: 12 },
    total_tokens: 50,
    cost: CANARY,
  },
};

const OPENING = { ...RESPONSE, status: 'in_progress', output: [], usage: null };

/** Each with what OpenAI adds to every event. */
const numbered = (events: readonly JsonObject[]): JsonObject[] =>
  events.map((event, index) => ({ ...event, sequence_number: index, obfuscation: CANARY }));

const at = (output_index: number, { id: item_id }: { readonly id: string }, fields: JsonObject) => ({
  output_index,
  item_id,
  ...fields,
});

const thought = (index: number, ...fragments: readonly string[]): JsonObject[] => [
  {
    type: 'response.reasoning_summary_part.added',
    ...at(0, REASONING, { summary_index: index, part: { type: 'summary_text', text: '' } }),
  },
  ...fragments.map((delta) => ({
    type: 'response.reasoning_summary_text.delta',
    ...at(0, REASONING, { summary_index: index, delta }),
  })),
  {
    type: 'response.reasoning_summary_text.done',
    ...at(0, REASONING, { summary_index: index, text: fragments.join('') }),
  },
];

const part = { type: 'output_text', text: '', annotations: [] };

export const EVENTS = numbered([
  { type: 'response.created', response: OPENING },
  { type: 'response.in_progress', response: OPENING },
  { type: 'response.output_item.added', output_index: 0, item: { ...REASONING, summary: [] } },
  ...thought(0, 'Fir', 'st.'),
  ...thought(1, 'Then ', 'Łódź.'),
  { type: 'response.output_item.done', output_index: 0, item: REASONING },
  {
    type: 'response.output_item.added',
    output_index: 1,
    item: { ...MESSAGE, status: 'in_progress', content: [] },
  },
  { type: 'response.content_part.added', ...at(1, MESSAGE, { content_index: 0, part }) },
  {
    type: 'response.output_text.delta',
    ...at(1, MESSAGE, { content_index: 0, delta: 'Grüße, ', logprobs: [] }),
  },
  {
    type: 'response.output_text.delta',
    ...at(1, MESSAGE, { content_index: 0, delta: '世界', logprobs: [] }),
  },
  {
    type: 'response.output_text.done',
    ...at(1, MESSAGE, { content_index: 0, text: 'Grüße, 世界', logprobs: [] }),
  },
  { type: 'response.output_item.done', output_index: 1, item: MESSAGE },
  { type: 'response.output_item.added', output_index: 2, item: { ...CALLED, arguments: '' } },
  { type: 'response.function_call_arguments.delta', ...at(2, CALLED, { delta: '{"city":' }) },
  { type: 'response.function_call_arguments.delta', ...at(2, CALLED, { delta: '"Łódź"}' }) },
  {
    type: 'response.function_call_arguments.done',
    ...at(2, CALLED, { name: CALLED.name, arguments: CALLED.arguments }),
  },
  { type: 'response.output_item.done', output_index: 2, item: CALLED },
  { type: 'response.completed', response: RESPONSE },
]);

/** Servers that send whole items only, and those that send the whole response only. */
export const COMPLETE_ITEMS = EVENTS.filter(({ type }) =>
  /created|output_item\.done|completed/.test(String(type)),
);
export const COMPLETE_RESPONSE = EVENTS.filter(({ type }) => /created|completed/.test(String(type)));

export const bytesOf = (events: readonly unknown[]) => wire(...events);

/** A call of another protocol's caller, with what it says. */
export const converted = convertedPayload;

/** A call of a caller of the Responses protocol. */
export const native = (body: JsonObject = {}, stream = false): ChatPayload =>
  nativePayloadOf('openai-responses')({ model: 'sim/chat', input: 'Hi', ...body }, stream);

export const contextOf = (payload: ChatPayload): ResponsesCallContext => ({
  payload,
  identity: IDENTITY,
  signatures: SIGNATURES,
});

/** The events that pieces of bytes give. */
export const read = (payload: ChatPayload, ...pieces: readonly Uint8Array[]): Promise<RouteEvent[]> =>
  collect(decodedBy(new ResponsesStreamReader(contextOf(payload)), pieces));
