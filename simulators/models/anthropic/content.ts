/** The content blocks of messages (Claude API reference, "Create a Message"); unknown fields are refused, as the API does. */
import { z } from 'zod';

export const cacheControl = z
  .strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() })
  .nullish();

const cacheable = { cache_control: cacheControl };
const citations = z.looseObject({ enabled: z.boolean().optional() }).nullish();

export const textBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.array(z.unknown()).nullish(),
  ...cacheable,
});

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/u, 'Invalid base64 data');
const webAddress = z.string().regex(/^https?:\/\/\S+$/u, 'Only HTTP and HTTPS URLs are supported');
const urlSource = z.strictObject({ type: z.literal('url'), url: webAddress });
const fileSource = z.strictObject({ type: z.literal('file'), file_id: z.string() });

const imageBlock = z.strictObject({
  type: z.literal('image'),
  source: z.discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('base64'),
      media_type: z.enum(['image/jpeg', 'image/png', 'image/gif', 'image/webp']),
      data: base64,
    }),
    fileSource,
    urlSource,
  ]),
  ...cacheable,
});

const documentBlock = z.strictObject({
  type: z.literal('document'),
  source: z.discriminatedUnion('type', [
    z.strictObject({ type: z.literal('base64'), media_type: z.literal('application/pdf'), data: base64 }),
    z.strictObject({
      type: z.literal('content'),
      content: z.union([z.string(), z.array(z.discriminatedUnion('type', [imageBlock, textBlock]))]),
    }),
    fileSource,
    z.strictObject({ type: z.literal('text'), media_type: z.literal('text/plain'), data: z.string() }),
    urlSource,
  ]),
  title: z.string().nullish(),
  context: z.string().nullish(),
  citations,
  ...cacheable,
});

const searchResultBlock = z.strictObject({
  type: z.literal('search_result'),
  source: z.string(),
  title: z.string(),
  content: z.array(textBlock),
  citations,
  ...cacheable,
});

/** Ids of tool calls, whoever gave them. */
const toolUseId = z.string().regex(/^[a-zA-Z0-9_-]+$/u);

const toolUseBlock = z.strictObject({
  type: z.literal('tool_use'),
  id: toolUseId,
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/u),
  input: z.record(z.string(), z.unknown()),
  caller: z.looseObject({ type: z.string() }).optional(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const toolResultBlock = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: toolUseId,
  content: z
    .union([
      z.string(),
      z.array(z.discriminatedUnion('type', [documentBlock, imageBlock, searchResultBlock, textBlock])),
    ])
    .optional(),
  is_error: z.boolean().optional(),
  toolset_name: z.string().nullish(),
  ...cacheable,
});

const contentBlock = z.discriminatedUnion('type', [
  documentBlock,
  imageBlock,
  z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() }),
  searchResultBlock,
  textBlock,
  z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() }),
  toolResultBlock,
  toolUseBlock,
]);

export const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.union([z.string(), z.array(contentBlock)]),
});

export type Message = z.infer<typeof messageSchema>;
export type ContentBlock = z.infer<typeof contentBlock>;
export type ToolResult = z.infer<typeof toolResultBlock>;

/** The blocks of a message or of a tool's result; a string is a text block, an empty one none. */
export function blocksOf<Block>(
  content: string | readonly Block[] | undefined,
): readonly (Block | { readonly type: 'text'; readonly text: string })[] {
  if (typeof content !== 'string') return content ?? [];
  return content === '' ? [] : [{ type: 'text', text: content }];
}
