/** The request of the Messages API (Claude API reference, "Create a Message"); unknown fields are refused, as the API does. */
import { z } from 'zod';
import { base64, jsonObject, webAddress } from '../exchange/schemas.ts';

const cacheControl = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();
const cacheable = { cache_control: cacheControl };

const words = z.string().regex(/\S/u, 'text content blocks must contain non-whitespace text');
const textBlock = z.strictObject({
  type: z.literal('text'),
  text: words,
  citations: z.array(z.unknown()).nullish(),
  ...cacheable,
});

const mediaType = z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']);
const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: mediaType, data: base64 }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
    z.strictObject({ type: z.literal('url'), url: webAddress }),
  ]),
  ...cacheable,
});

const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    z.strictObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [textBlock, imageBlock]))]),
    }),
    z.strictObject({ type: z.literal('url'), url: webAddress }),
    z.strictObject({ type: z.literal('file'), file_id: z.string() }),
  ]),
  title: z.string().min(1).max(500).nullish(),
  context: z.string().min(1).nullish(),
  citations: z.looseObject({ enabled: z.boolean().optional() }).nullish(),
  ...cacheable,
});

/** A content block that a service passes on unchanged. */
const otherBlock = z.looseObject({ type: z.literal('search_result') });

/** Ids of tool calls, whoever gave them. */
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]+$/u);
const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: toolUseId,
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/u),
  input: jsonObject,
  caller: z.looseObject({ type: z.string() }).optional(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const resultContent = z.discriminatedUnion('type', [textBlock, imageBlock, documentBlock, otherBlock]);
const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: toolUseId,
  content: z.union([z.string(), z.array(resultContent)]).optional(),
  is_error: z.boolean().optional(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const userBlock = z.discriminatedUnion('type', [
  textBlock,
  imageBlock,
  documentBlock,
  otherBlock,
  toolResultBlock,
]);
const assistantBlock = z.discriminatedUnion('type', [
  textBlock,
  toolUseBlock,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  otherBlock,
]);

const messageSchema = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('user'), content: z.union([z.string(), z.array(userBlock)]) }),
  z.strictObject({ role: z.literal('assistant'), content: z.union([z.string(), z.array(assistantBlock)]) }),
  z.strictObject({ role: z.literal('system'), content: z.union([z.string(), z.array(textBlock)]) }),
]);

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
  ...cacheable,
});

/** A tool that the provider runs (Claude docs, Server tools); only searches are run here. */
const serverToolSchema = z.strictObject({
  type: z.string().regex(/^(web_search|web_fetch|code_execution)_\d{8}$/u),
  name: z.enum(['web_search', 'web_fetch', 'code_execution']),
  max_uses: z.int().min(0).nullish(),
  allowed_domains: z.array(z.string()).nullish(),
  blocked_domains: z.array(z.string()).nullish(),
  user_location: jsonObject.nullish(),
  ...cacheable,
});

export const isCallersOwn = (
  tool: z.infer<typeof toolSchema> | z.infer<typeof serverToolSchema>,
): tool is z.infer<typeof toolSchema> => 'input_schema' in tool;

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const toolChoiceSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.enum(['any', 'auto']), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
]);

const displayed = {
  display: z.enum(['summarized', 'omitted']).nullish(),
  block_binding: z
    .strictObject({ prefix_mismatch_behavior: z.enum(['error', 'drop_block']).nullish() })
    .nullish(),
};
const thinkingSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), ...displayed }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...displayed }),
]);

const outputConfigSchema = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.strictObject({ type: z.literal('json_schema'), schema: jsonObject }).nullish(),
});

export const messagesRequestSchema = z.strictObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  system: z.union([z.string(), z.array(textBlock)]).optional(),
  tools: z.array(z.union([toolSchema, serverToolSchema])).optional(),
  tool_choice: toolChoiceSchema.optional(),
  thinking: thinkingSchema.optional(),
  output_config: outputConfigSchema.optional(),
  speed: z.enum(['standard', 'fast']).nullish(),
  context_management: z.strictObject({ edits: z.array(z.looseObject({ type: z.string() })) }).nullish(),
  // A prompt can be put into the cache without an answer.
  max_tokens: z.int().min(0),
  stream: z.boolean().optional(),
  temperature: z.number().min(0).max(1).optional(),
  top_p: z.number().min(0).max(1).optional(),
  top_k: z.int().min(0).optional(),
  stop_sequences: z
    .array(z.string().regex(/\S/u, 'each stop sequence must contain non-whitespace'))
    .optional(),
  metadata: z.strictObject({ user_id: z.string().max(256).nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  inference_geo: z.string().nullish(),
  container: z.string().nullish(),
  ...cacheable,
});

export type SimulatedMessagesRequest = z.infer<typeof messagesRequestSchema>;
export type ContentBlock = z.infer<typeof userBlock> | z.infer<typeof assistantBlock>;

/** The blocks of a message or of a tool's result; a string is a text block, an empty one none. */
export function contentBlocksOf<Block>(
  content: string | readonly Block[] | undefined,
): readonly (Block | { readonly type: 'text'; readonly text: string })[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}

export const thinks = ({ thinking }: SimulatedMessagesRequest): boolean =>
  thinking !== undefined && thinking.type !== 'disabled';
