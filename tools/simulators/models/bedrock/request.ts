/**
 * The requests of Converse and ConverseStream (Amazon Bedrock API reference). Fields that the reference does not have
 * are refused, which the service itself does not always do: whoever sends one has made a mistake.
 */
import { z } from 'zod';
import { parsedJson } from '../../parsed-json.ts';
import { base64, toolName as identifier, jsonObject, unionOf } from '../exchange/schemas.ts';

const loose = z.looseObject({});
const cachePoint = z.strictObject({ type: z.literal('default'), ttl: z.enum(['5m', '1h']).nullish() });

const words = z.string().regex(/\S/u, 'the text is blank');

const image = z.strictObject({
  format: z.enum(['png', 'jpeg', 'gif', 'webp']),
  source: unionOf({ bytes: base64, s3Location: loose }),
});

const toolUse = z.strictObject({
  toolUseId: identifier,
  name: identifier,
  input: jsonObject,
  type: z.string().nullish(),
});

/** A name may hold little (Amazon Bedrock API reference, DocumentBlock). */
const document = z.strictObject({
  format: z.enum(['pdf', 'csv', 'doc', 'docx', 'xls', 'xlsx', 'html', 'txt', 'md']),
  name: z
    .string()
    .max(200)
    .regex(/^[A-Za-z0-9()[\]-]+(?:\s[A-Za-z0-9()[\]-]+)*$/u),
  source: unionOf({ bytes: base64, s3Location: loose, text: loose, content: loose }),
  context: z.string().nullish(),
  citations: loose.nullish(),
});

const toolResult = z
  .strictObject({
    toolUseId: identifier,
    content: z.array(unionOf({ text: z.string(), json: jsonObject, image, document })),
    status: z.enum(['success', 'error']).nullish(),
    type: z.string().nullish(),
  })
  .refine(({ status, content }) => status !== 'error' || content.length > 0, 'an error must have content');

const reasoningContent = unionOf({
  reasoningText: z.strictObject({ text: z.string(), signature: z.string().nullish() }),
  redactedContent: base64,
});

const contentBlock = unionOf({
  text: words,
  image,
  toolUse,
  toolResult,
  cachePoint,
  reasoningContent,
  document,
});

const messageSchema = z.strictObject({
  role: z.enum(['user', 'assistant']),
  content: z.array(contentBlock).min(1),
});

const inferenceConfig = z.strictObject({
  maxTokens: z.int().min(1).nullish(),
  temperature: z.number().min(0).max(1).nullish(),
  topP: z.number().min(0).max(1).nullish(),
  stopSequences: z.array(z.string().min(1)).max(2500).nullish(),
});

const toolSpec = z.strictObject({
  name: identifier,
  description: z.string().min(1).nullish(),
  inputSchema: unionOf({ json: jsonObject }),
  strict: z.boolean().nullish(),
});

const empty = z.strictObject({});
const toolConfig = z.strictObject({
  tools: z.array(unionOf({ toolSpec, cachePoint })).min(1),
  toolChoice: unionOf({ auto: empty, any: empty, tool: z.strictObject({ name: identifier }) }).nullish(),
});

export const parsedObject = (text: string) => jsonObject.safeParse(parsedJson(text)).data;

const jsonSchema = z.strictObject({
  schema: z.string().refine((text) => parsedObject(text) !== undefined, 'is not a valid JSON object'),
  name: z.string().nullish(),
  description: z.string().nullish(),
});
const outputConfig = z.strictObject({
  textFormat: z
    .strictObject({ type: z.literal('json_schema'), structure: unionOf({ jsonSchema }) })
    .nullish(),
  effort: z.string().nullish(),
});

/** API reference, GuardrailStreamConfiguration. */
const guardrailConfig = z.strictObject({
  guardrailIdentifier: z
    .string()
    .regex(/^([a-z0-9]+|arn:aws(-[^:]+)?:bedrock:[a-z0-9-]{1,20}:[0-9]{12}:guardrail\/[a-z0-9]+)$/u),
  guardrailVersion: z.string().regex(/^([1-9][0-9]{0,7}|DRAFT)$/u),
  trace: z.enum(['enabled', 'disabled', 'enabled_full']).nullish(),
});

const streamGuardrailConfig = guardrailConfig.extend({
  streamProcessingMode: z.enum(['sync', 'async']).nullish(),
});

export const converseRequestSchema = z.strictObject({
  messages: z.array(messageSchema).nullish(),
  system: z.array(unionOf({ text: z.string().min(1), cachePoint })).nullish(),
  inferenceConfig: inferenceConfig.nullish(),
  toolConfig: toolConfig.nullish(),
  outputConfig: outputConfig.nullish(),
  additionalModelRequestFields: loose.nullish(),
  additionalModelResponseFieldPaths: z.array(z.string().min(1).max(256)).max(10).nullish(),
  guardrailConfig: streamGuardrailConfig.nullish(),
});

/** Only a stream has a mode in which it is judged. */
export const wholeConverseRequestSchema = converseRequestSchema.extend({
  guardrailConfig: guardrailConfig.nullish(),
});

export type ConverseRequest = z.infer<typeof converseRequestSchema>;
export type ConverseBlock = z.infer<typeof contentBlock>;
export type ToolResult = z.infer<typeof toolResult>;
