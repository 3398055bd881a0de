/** The messages of a chat completions request (OpenAI API reference, "Create chat completion"); unknown fields are let through. */
import { z } from 'zod';

const textPart = z.looseObject({ type: z.literal('text'), text: z.string() });
const refusalPart = z.looseObject({ type: z.literal('refusal'), refusal: z.string() });
/** A web address, or an image in one of the formats the vision guide lists as a base64 data URL. */
const IMAGE_URL = /^(?:https?:\/\/\S+|data:image\/(?:png|jpe?g|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/u;
const imagePart = z.looseObject({
  type: z.literal('image_url'),
  image_url: z.looseObject({
    url: z
      .string()
      .regex(IMAGE_URL, 'Expected a base64-encoded data URL with an image MIME type, or a web address'),
    detail: z.enum(['auto', 'low', 'high']).nullish(),
  }),
});

const plainContent = z.union([z.string(), z.array(textPart).min(1)]);
const userContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, imagePart])).min(1),
]);
const assistantContent = z.union([
  z.string(),
  z.array(z.discriminatedUnion('type', [textPart, refusalPart])).min(1),
]);

/** Names of tools: at most 64 letters, digits, underscores and dashes. */
export const toolName = z
  .string()
  .max(64)
  .regex(/^[a-zA-Z0-9_-]+$/u, "Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'");

const toolCall = z.looseObject({
  id: z.string(),
  type: z.literal('function'),
  function: z.looseObject({ name: toolName, arguments: z.string() }),
});

const name = z.string().nullish();
export const messageSchema = z.discriminatedUnion('role', [
  z.looseObject({ role: z.literal('system'), content: plainContent, name }),
  z.looseObject({ role: z.literal('developer'), content: plainContent, name }),
  z.looseObject({ role: z.literal('user'), content: userContent, name }),
  z.looseObject({
    role: z.literal('assistant'),
    content: assistantContent.nullish(),
    name,
    tool_calls: z.array(toolCall).min(1).nullish(),
  }),
  z.looseObject({ role: z.literal('tool'), content: plainContent, tool_call_id: z.string() }),
]);

export type ChatMessage = z.infer<typeof messageSchema>;
