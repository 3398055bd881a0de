/** The content blocks of Converse messages (Amazon Bedrock API reference, "ContentBlock"); each is a union of one member. */
import { z } from 'zod';

/** A union as AWS writes it: an object with exactly one of its members. Null is the same as absent. */
export const unionOf = <Shape extends z.core.$ZodLooseShape>(shape: Shape) =>
  z
    .strictObject(shape)
    .partial()
    .refine(
      (members) => Object.values(members).filter((member) => member !== undefined).length === 1,
      'Exactly one member of a union can be set',
    );

/** Ids of tool calls and names of tools. */
export const identifier = z
  .string()
  .min(1)
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/u);

const base64 = z.string().regex(/^[A-Za-z0-9+/]+={0,2}$/u);
const s3Location = z.strictObject({ uri: z.string().min(1), bucketOwner: z.string().nullish() });

export const cachePoint = z.strictObject({
  type: z.literal('default'),
  ttl: z.enum(['5m', '1h']).nullish(),
});
const textContent = unionOf({ text: z.string() });
const loose = z.looseObject({});

const image = z.strictObject({
  format: z.enum(['png', 'jpeg', 'gif', 'webp']),
  source: unionOf({ bytes: base64, s3Location }),
});

const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']).nullish(),
  name: z.string().min(1).max(200),
  source: unionOf({
    bytes: base64,
    s3Location,
    text: z.string().min(1),
    content: z.array(textContent).min(1),
  }),
  context: z.string().nullish(),
  citations: loose.nullish(),
});

const toolUse = z.strictObject({
  toolUseId: identifier,
  name: identifier,
  input: z.record(z.string(), z.unknown()),
  type: z.string().nullish(),
});

const toolResultContent = unionOf({
  text: z.string(),
  json: z.record(z.string(), z.unknown()),
  image,
  document,
  video: loose,
  searchResult: loose,
});

const toolResult = z.strictObject({
  toolUseId: identifier,
  content: z.array(toolResultContent),
  status: z.enum(['success', 'error']).nullish(),
  type: z.string().nullish(),
});

const reasoningContent = unionOf({
  reasoningText: z.strictObject({ text: z.string(), signature: z.string().nullish() }),
  redactedContent: base64,
});

const contentBlock = unionOf({
  text: z.string(),
  image,
  document,
  video: loose,
  audio: loose,
  toolUse,
  toolResult,
  guardContent: loose,
  cachePoint,
  reasoningContent,
  citationsContent: loose,
  searchResult: loose,
});

export const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(contentBlock),
});

export type Message = z.infer<typeof messageSchema>;
export type ContentBlock = z.infer<typeof contentBlock>;
export type ToolResult = z.infer<typeof toolResult>;
