/** The Responses request (OpenAI API reference, "Create a model response"); unknown fields are refused, as the API does. */
import { z } from 'zod';
import { inputItemSchema, toolName } from './input.ts';

const jsonObject = z.record(z.string(), z.unknown());
const description = z.string().nullish();
const otherItems = {
  allowed_callers: z.array(z.string()).nullish(),
  async: z.boolean().nullish(),
  defer_loading: z.boolean().nullish(),
};

const functionTool = z.strictObject({
  type: z.literal('function'),
  name: toolName,
  description,
  parameters: jsonObject.nullish(),
  output_schema: jsonObject.nullish(),
  strict: z.boolean().nullish(),
  ...otherItems,
});
const customTool = z.strictObject({
  type: z.literal('custom'),
  name: toolName,
  description,
  format: z
    .discriminatedUnion('type', [
      z.strictObject({ type: z.literal('text') }),
      z.strictObject({
        type: z.literal('grammar'),
        syntax: z.enum(['lark', 'regex']),
        definition: z.string(),
      }),
    ])
    .nullish(),
  ...otherItems,
});
/** Tools that the provider runs, or that only some models know; none is called here. */
const HOSTED = [
  'web_search',
  'web_search_preview',
  'file_search',
  'code_interpreter',
  'image_generation',
  'mcp',
  'computer_use_preview',
  'local_shell',
  'shell',
  'apply_patch',
  'tool_search',
];
const toolSchema = z.discriminatedUnion('type', [
  functionTool,
  customTool,
  z.strictObject({
    type: z.literal('namespace'),
    name: toolName,
    description: z.string(),
    tools: z.array(z.discriminatedUnion('type', [functionTool, customTool])),
  }),
  z.looseObject({ type: z.enum(HOSTED) }),
]);

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
    z.looseObject({ type: z.enum(HOSTED) }),
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

const INCLUDABLE = [
  'file_search_call.results',
  'web_search_call.results',
  'web_search_call.action.sources',
  'message.input_image.image_url',
  'computer_call_output.output.image_url',
  'code_interpreter_call.outputs',
  'reasoning.encrypted_content',
  'message.output_text.logprobs',
];

/** The smallest limit that is taken. */
const MIN_OUTPUT_TOKENS = 16;

export const responsesRequestSchema = z.strictObject({
  model: z.string().min(1),
  input: z.union([z.string(), z.array(inputItemSchema)]).optional(),
  instructions: z.string().nullish(),
  stream: z.boolean().nullish(),
  stream_options: z.strictObject({ include_obfuscation: z.boolean().optional() }).nullish(),
  store: z.boolean().nullish(),
  include: z.array(z.enum(INCLUDABLE)).nullish(),
  max_output_tokens: z
    .int()
    .min(MIN_OUTPUT_TOKENS, `integer below minimum value. Expected a value >= ${MIN_OUTPUT_TOKENS}`)
    .nullish(),
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
  background: z.boolean().nullish(),
  conversation: z.unknown().optional(),
  context_management: z.array(z.unknown()).nullish(),
  metadata: z.record(z.string().max(64), z.string().max(512)).nullish(),
  moderation: z.unknown().optional(),
  prompt: z.unknown().optional(),
  prompt_cache_key: z.string().nullish(),
  prompt_cache_options: z.unknown().optional(),
  prompt_cache_retention: z.enum(['in_memory', '24h']).nullish(),
  safety_identifier: z.string().nullish(),
  truncation: z.enum(['auto', 'disabled']).nullish(),
  user: z.string().nullish(),
});

export type ResponsesRequest = z.infer<typeof responsesRequestSchema>;

/** A tool that the caller's side runs, under the namespace it stands in. */
export type CallersTool = (z.infer<typeof functionTool> | z.infer<typeof customTool>) & {
  readonly namespace?: string;
};

const hasName = (tool: { readonly type: string }): tool is CallersTool =>
  tool.type === 'function' || tool.type === 'custom';

/** The tools that the caller's side runs, those of namespaces among them. */
export function callersTools({ tools }: ResponsesRequest): readonly CallersTool[] {
  return (tools ?? []).flatMap((tool): CallersTool[] => {
    if (tool.type === 'namespace' && 'tools' in tool && Array.isArray(tool.tools))
      return (tool.tools as CallersTool[]).map((inner) => ({ ...inner, namespace: String(tool.name) }));
    return hasName(tool) ? [tool] : [];
  });
}

/** A model that always thinks is known by its name. */
const isReasoner = ({ model }: ResponsesRequest): boolean => model.includes('reasoner');

/** Returns whether a response starts with reasoning: always with some models, at an effort with all others. */
export function thinks(request: ResponsesRequest): boolean {
  const effort = request.reasoning?.effort ?? 'none';
  return isReasoner(request) || effort !== 'none';
}
