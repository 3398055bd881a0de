/**
 * The requirements of the Open Responses specification (openresponses.org, OpenAPI document) for a response and for the
 * events of a stream. Further fields are allowed.
 */
import * as z from 'zod';

const status = z.enum(['in_progress', 'completed', 'incomplete']);

const contentPart = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.unknown()),
    logprobs: z.array(z.unknown()),
  }),
  z.looseObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

const id = z.string().min(1);

const item = z.discriminatedUnion('type', [
  z.looseObject({
    type: z.literal('message'),
    id,
    status,
    role: z.literal('assistant'),
    content: z.array(contentPart),
  }),
  z.looseObject({
    type: z.literal('function_call'),
    id,
    call_id: z.string().min(1),
    name: z.string().min(1),
    arguments: z.string(),
    status,
  }),
  z.looseObject({ type: z.literal('reasoning'), id, summary: z.array(z.unknown()) }),
]);

const functionTool = z.looseObject({
  type: z.literal('function'),
  name: z.string(),
  description: z.string().nullable(),
  parameters: z.record(z.string(), z.unknown()).nullable(),
  strict: z.boolean().nullable(),
});

const count = z.int().min(0);

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
});

export const response = z.looseObject({
  id,
  object: z.literal('response'),
  created_at: z.int(),
  completed_at: z.int().nullable(),
  status: z.enum(['queued', 'in_progress', 'completed', 'incomplete', 'failed']),
  incomplete_details: z.looseObject({ reason: z.string() }).nullable(),
  model: z.string(),
  previous_response_id: z.string().nullable(),
  instructions: z.string().nullable(),
  output: z.array(item),
  error: z.looseObject({ code: z.string(), message: z.string() }).nullable(),
  tools: z.array(functionTool),
  tool_choice: z.unknown().refine((value) => value !== undefined),
  truncation: z.enum(['auto', 'disabled']),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: z.int(),
  temperature: z.number(),
  reasoning: z.looseObject({ effort: z.string().nullable(), summary: z.string().nullable() }).nullable(),
  usage: usage.nullable(),
  max_output_tokens: z.int().nullable(),
  max_tool_calls: z.int().nullable(),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.record(z.string(), z.string()),
  safety_identifier: z.string().nullable(),
  prompt_cache_key: z.string().nullable(),
});

const itemAddress = { item_id: id, output_index: count };
const partAddress = { ...itemAddress, content_index: count };
const logprobs = z.array(z.unknown());

/** The fields of each event, beside its type and number. */
const EVENTS = {
  'response.created': { response },
  'response.in_progress': { response },
  'response.completed': { response },
  'response.output_item.added': { output_index: count, item },
  'response.output_item.done': { output_index: count, item },
  'response.content_part.added': { ...partAddress, part: contentPart },
  'response.content_part.done': { ...partAddress, part: contentPart },
  'response.output_text.delta': { ...partAddress, delta: z.string(), logprobs },
  'response.output_text.done': { ...partAddress, text: z.string(), logprobs },
  'response.function_call_arguments.delta': { ...itemAddress, delta: z.string() },
  'response.function_call_arguments.done': { ...itemAddress, arguments: z.string() },
} as const;

/** One event of a stream; throws for one that is not as the specification has it. */
export function eventOf(data: unknown): StreamedEvent {
  const { type } = z
    .looseObject({ type: z.enum(Object.keys(EVENTS) as (keyof typeof EVENTS)[]) })
    .parse(data);
  return z.looseObject({ ...EVENTS[type], type: z.literal(type), sequence_number: count }).parse(data);
}

export interface StreamedEvent extends Record<string, unknown> {
  readonly type: string;
  readonly sequence_number: number;
}

export const errorBody = z.looseObject({
  error: z.looseObject({
    message: z.string().min(1),
    type: z.string().min(1),
    code: z.string().nullable(),
    param: z.string().nullable(),
  }),
});
