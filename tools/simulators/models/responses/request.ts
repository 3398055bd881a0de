/** The Responses request (OpenAI API reference, "Create a model response"); unknown fields are refused, as the API does. */
import { z } from 'zod';
import { jsonObject, toolName } from '../exchange/schemas.ts';
import { inputItemSchema } from './input.ts';
import { type DeclaredTool, description, toolSchema } from './tools.ts';

const named = { name: toolName };
const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('function'), ...named }),
    z.strictObject({ type: z.literal('custom'), ...named }),
    z.strictObject({
      type: z.literal('allowed_tools'),
      mode: z.enum(['auto', 'required']),
      tools: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })).min(1),
    }),
  ]),
]);

const formatSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['text', 'json_object']) }),
  z.strictObject({
    type: z.literal('json_schema'),
    name: toolName,
    schema: jsonObject,
    description,
    strict: z.boolean().nullish(),
  }),
]);

const summary = z.enum(['auto', 'concise', 'detailed']).nullish();
const reasoningSchema = z.strictObject({
  effort: z.enum(['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  summary,
  generate_summary: summary,
  context: z.enum(['auto', 'current_turn', 'all_turns']).nullish(),
  mode: z.string().nullish(),
});

export const responsesRequestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(inputItemSchema)]).optional(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.literal('reasoning.encrypted_content')).nullish(),
  max_output_tokens: z.int().min(16, 'integer below minimum value. Expected a value >= 16').nullish(),
  max_tool_calls: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  top_logprobs: z.int().min(0).max(20).nullish(),
  tools: z.array(toolSchema).max(128).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  text: z
    .strictObject({ format: formatSchema.nullish(), verbosity: z.enum(['low', 'medium', 'high']).nullish() })
    .nullish(),
  reasoning: reasoningSchema.nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
  previous_response_id: z.string().nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  safety_identifier: z.string().nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

export type CallersTool = Exclude<DeclaredTool, { type: 'namespace' }> & { readonly namespace?: string };

/** The tools that the caller's side runs, those of namespaces and of items among them. */
export function callersTools({ tools, input }: ResponsesRequest): readonly CallersTool[] {
  const items = typeof input === 'string' ? [] : (input ?? []);
  const declared = [...(tools ?? []), ...items.flatMap((item) => ('tools' in item ? item.tools : []))];
  return declared.flatMap((tool): readonly CallersTool[] =>
    tool.type === 'namespace' ? tool.tools.map((inner) => ({ ...inner, namespace: tool.name })) : [tool],
  );
}

/** Returns whether a response starts with reasoning: always with models of that name, at an effort with all others. */
export const thinks = ({ model, reasoning }: ResponsesRequest): boolean =>
  model.includes('reasoner') || (reasoning?.effort ?? 'none') !== 'none';
