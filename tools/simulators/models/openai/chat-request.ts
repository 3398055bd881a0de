/** The chat completions request (OpenAI API reference, "Create chat completion"); unknown fields are accepted. */
import { z } from 'zod';
import { base64, imageUrl, jsonObject, toolName } from '../exchange/schemas.ts';

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: imageUrl,
    detail: z.enum(['auto', 'low', 'high', 'original']).nullish(),
  }),
});

/** A PDF as a base64 data URL, with its name. */
const PDF_URL = /^data:application\/pdf;base64,[A-Za-z0-9+/]+={0,2}$/u;
const filePart = z.looseObject({
  type: z.literal('file'),
  file: z.strictObject({ filename: z.string().min(1), file_data: z.string().regex(PDF_URL) }),
});
const audioPart = z.looseObject({
  type: z.literal('input_audio'),
  input_audio: z.strictObject({ data: base64, format: z.enum(['wav', 'mp3']) }),
});

const contentOf = <Part extends z.ZodType>(part: Part) => z.union([z.string(), z.array(part).min(1)]);
const plainContent = contentOf(textPart);

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: toolName, arguments: z.string() }),
  extra_content: z
    .looseObject({ google: z.looseObject({ thought_signature: z.string().nullish() }).nullish() })
    .nullish(),
});

const name = z.string().nullish();
const messageSchema = z.discriminatedUnion('role', [
  z.looseObject({ role: z.enum(['system', 'developer']), content: plainContent, name }),
  z.looseObject({
    role: z.literal('user'),
    content: contentOf(z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart])),
    name,
  }),
  z.looseObject({
    role: z.literal('assistant'),
    content: contentOf(z.discriminatedUnion('type', [textPart, refusalPart])).nullish(),
    name,
    tool_calls: z.array(toolCall).min(1).nullish(),
    reasoning_content: z.string().nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content: plainContent, tool_call_id: z.string() }),
]);

const namedFunction = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({ name: toolName }),
});

const toolSchema = z.looseObject({
  type: z.literal('function'),
  function: z.looseObject({
    name: toolName,
    description: z.string().nullish(),
    parameters: jsonObject.nullish(),
    strict: z.boolean().nullish(),
  }),
});

const allowedTools = z.looseObject({
  mode: z.enum(['auto', 'required']),
  tools: z.array(namedFunction).min(1),
});
const toolChoiceSchema = z.union([
  z.enum(['none', 'auto', 'required']),
  z.discriminatedUnion('type', [
    namedFunction,
    z.looseObject({ type: z.literal('allowed_tools'), allowed_tools: allowedTools }),
  ]),
]);

const jsonSchema = z.looseObject({
  name: toolName,
  schema: jsonObject.nullish(),
  strict: z.boolean().nullish(),
});
const responseFormatSchema = z.discriminatedUnion('type', [
  z.looseObject({ type: z.enum(['text', 'json_object']) }),
  z.looseObject({ type: z.literal('json_schema'), json_schema: jsonSchema }),
]);

const penalty = z.number().min(-2).max(2).nullish();
const tokenLimit = z.int().min(1).nullish();

export const chatRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema).min(1),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().nullish() }).nullish(),
  temperature: z.number().min(0).max(2).nullish(),
  top_p: z.number().min(0).max(1).nullish(),
  presence_penalty: penalty,
  frequency_penalty: penalty,
  max_tokens: tokenLimit,
  max_completion_tokens: tokenLimit,
  n: z.int().min(1).max(128).nullish(),
  stop: z.union([z.string(), z.array(z.string()).max(4)]).nullish(),
  tools: z.array(toolSchema).min(1).max(128).nullish(),
  tool_choice: toolChoiceSchema.nullish(),
  parallel_tool_calls: z.boolean().nullish(),
  response_format: responseFormatSchema.nullish(),
  thinking: z.looseObject({ type: z.enum(['enabled', 'disabled']) }).nullish(),
  service_tier: z.enum(['auto', 'default', 'flex', 'scale', 'priority', 'fast']).nullish(),
});

export type ChatRequest = z.infer<typeof chatRequestSchema>;
export type ChatMessage = z.infer<typeof messageSchema>;
