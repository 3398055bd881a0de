/**
 * The items of a Responses request (OpenAI API reference, "Create a model response", `input`); unknown fields are
 * refused, as the API does.
 */
import { z } from 'zod';
import { imageUrl, toolName, webAddress } from '../exchange/schemas.ts';
import { toolSchema } from './tools.ts';

const anyId = z.string().max(64, 'string too long. Expected a string with maximum length 64');
/** Ids of a kind begin alike. */
const idOf = (prefix: string) =>
  anyId.regex(new RegExp(`^${prefix}_`, 'u'), `Expected an ID that begins with '${prefix}'`).nullish();
const callId = anyId.min(1);
const status = z.enum(['in_progress', 'completed', 'incomplete']).nullish();

const breakpoint = { prompt_cache_breakpoint: z.unknown().optional() };
const inputPart = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('input_text'), text: z.string(), ...breakpoint }),
  z.strictObject({
    type: z.literal('input_image'),
    image_url: imageUrl.nullish(),
    file_id: z.string().nullish(),
    detail: z.enum(['low', 'high', 'auto', 'original']).nullish(),
    ...breakpoint,
  }),
  z
    .strictObject({
      type: z.literal('input_file'),
      filename: z.string().min(1).nullish(),
      file_data: z.string().min(1).nullish(),
      file_url: webAddress.nullish(),
      file_id: z.string().nullish(),
      ...breakpoint,
    })
    .refine(({ filename, file_data: data }) => data == null || filename != null, 'filename is required'),
]);
const outputPart = z.discriminatedUnion('type', [
  z.strictObject({
    type: z.literal('output_text'),
    text: z.string(),
    annotations: z.array(z.unknown()).nullish(),
    logprobs: z.array(z.unknown()).nullish(),
  }),
  z.strictObject({ type: z.literal('refusal'), refusal: z.string() }),
]);

const message = { type: z.literal('message'), id: idOf('msg'), status, phase: z.string().nullish() };
const messageItem = z.discriminatedUnion('role', [
  z.strictObject({
    ...message,
    role: z.enum(['user', 'system', 'developer']),
    content: z.union([z.string(), z.array(inputPart)]),
  }),
  z.strictObject({
    ...message,
    role: z.literal('assistant'),
    content: z.union([z.string(), z.array(outputPart)]),
  }),
]);

const call = {
  call_id: callId,
  name: toolName,
  status,
  namespace: z.string().nullish(),
  caller: z.unknown().optional(),
  async: z.boolean().nullish(),
};
const result = {
  call_id: callId,
  output: z.union([z.string(), z.array(inputPart)]),
  id: anyId.nullish(),
  status,
  caller: z.unknown().optional(),
};

const summaryPart = z.strictObject({ type: z.literal('summary_text'), text: z.string() });

const item = z.discriminatedUnion('type', [
  messageItem,
  z.strictObject({ type: z.literal('function_call'), id: idOf('fc'), arguments: z.string(), ...call }),
  z.strictObject({ type: z.literal('function_call_output'), ...result }),
  z.strictObject({ type: z.literal('custom_tool_call'), id: idOf('ctc'), input: z.string(), ...call }),
  z.strictObject({ type: z.literal('custom_tool_call_output'), ...result }),
  z.strictObject({
    type: z.literal('reasoning'),
    id: idOf('rs'),
    summary: z.array(summaryPart),
    // The reasoning itself is never shown, and never taken.
    content: z.array(z.unknown()).max(0, 'array too long. Expected an array with maximum length 0').nullish(),
    encrypted_content: z.string().nullish(),
    status,
  }),
  z.strictObject({
    type: z.literal('additional_tools'),
    id: anyId.nullish(),
    role: z.literal('developer'),
    tools: z.array(toolSchema),
  }),
  z.strictObject({ type: z.literal('item_reference'), id: z.string() }),
]);

/** A message may leave its type out, and a reference too. */
function typed(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Object.hasOwn(value, 'type')) return value;
  return { type: Object.hasOwn(value, 'role') ? 'message' : 'item_reference', ...value };
}

export const inputItemSchema = z.preprocess(typed, item);

export type InputItem = z.infer<typeof item>;
export type InputPart = z.infer<typeof inputPart> | z.infer<typeof outputPart>;
export type ReasoningItem = Extract<InputItem, { type: 'reasoning' }>;
