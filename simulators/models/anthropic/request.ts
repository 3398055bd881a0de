/** The requests of the Messages API (Claude API reference, "Create a Message" and "Count tokens in a Message"). */
import { z } from 'zod';
import { cacheControl, messageSchema, textBlock } from './content.ts';

const jsonObject = z.record(z.string(), z.unknown());

const toolSchema = z.strictObject({
  type: z.literal('custom').nullish(),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/u),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  strict: z.boolean().optional(),
  input_examples: z.array(jsonObject).optional(),
  allowed_callers: z.array(z.string()).optional(),
  defer_loading: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  cache_control: cacheControl,
});

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const toolChoiceSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
]);

/** The smallest budget the extended thinking guide allows. */
const MIN_THINKING_TOKENS = 1024;
const display = z.enum(['summarized', 'omitted']).nullish();
const thinkingSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), display }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(MIN_THINKING_TOKENS), display }),
]);

const outputConfigSchema = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: jsonObject }).nullish(),
});

/** What the requests to answer and to count tokens both have. */
const countRequest = z.strictObject({
  model: z.string().min(1),
  messages: z.array(messageSchema),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(toolSchema).optional(),
  tool_choice: toolChoiceSchema.optional(),
  thinking: thinkingSchema.optional(),
  output_config: outputConfigSchema.optional(),
  cache_control: cacheControl,
  speed: z.enum(['standard', 'fast']).nullish(),
});

const messagesRequest = countRequest.extend({
  // A prompt can be put into the cache without an answer.
  max_tokens: z.int().min(0),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z.array(z.string()).optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().nullish(),
  container: z.string().nullish(),
});

/** The version of 2026 has no sampling parameters (guide "Migrating to API version 2026-10-21"). */
const messagesRequestOf2026 = messagesRequest.omit({ temperature: true, top_p: true, top_k: true });

export const REQUEST_SCHEMAS = {
  '2023-06-01': { messages: messagesRequest, count: countRequest },
  '2026-10-21': { messages: messagesRequestOf2026, count: countRequest },
} as const;

export type MessagesRequest = z.infer<typeof messagesRequestOf2026>;
/** Either request: what only one that asks for an answer has may be missing. */
export type AnyRequest = z.infer<typeof countRequest> & Partial<z.infer<typeof messagesRequest>>;

/** Whether an answer starts with a thought. */
export const thinks = ({ thinking }: AnyRequest): boolean =>
  thinking !== undefined && thinking.type !== 'disabled';
