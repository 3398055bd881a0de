/** The requests of generateContent (Gemini API reference, models.generateContent); unknown fields are refused, as the API does. */
import { z } from 'zod';
import { base64, jsonObject } from '../exchange/schemas.ts';

/** Gemini API docs, Image understanding, Supported image formats. */
const inlineType = z.enum([
  'image/png',
  'image/jpeg',
  'image/webp',
  'image/heic',
  'image/heif',
  'application/pdf',
  'audio/wav',
  'audio/mp3',
]);
const id = z.string().optional();

const partSchema = z
  .strictObject({
    text: z.string().min(1, 'must not be empty').optional(),
    thought: z.boolean().optional(),
    thoughtSignature: z.string().min(1).optional(),
    inlineData: z.strictObject({ mimeType: inlineType, data: base64 }).optional(),
    functionCall: z.strictObject({ id, name: z.string().min(1), args: jsonObject.optional() }).optional(),
    functionResponse: z.strictObject({ id, name: z.string().min(1), response: jsonObject }).optional(),
  })
  .refine(
    ({ text, inlineData, functionCall, functionResponse }) =>
      [text, inlineData, functionCall, functionResponse].filter((value) => value !== undefined).length === 1,
    'must have one initialized field',
  );

const contentSchema = z.strictObject({ role: z.enum(['user', 'model']), parts: z.array(partSchema).min(1) });

/** Gemini API docs, Function calling: a letter or an underscore, then letters, digits, `_`, `.`, `:` and `-`. */
const name = z.string().regex(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$/u, 'Invalid function name');
const declarationSchema = z.strictObject({
  name,
  description: z.string().optional(),
  parametersJsonSchema: jsonObject.optional(),
});

const thinkingSchema = z
  .strictObject({
    includeThoughts: z.boolean().optional(),
    thinkingBudget: z.int().min(-1).optional(),
    thinkingLevel: z.enum(['MINIMAL', 'LOW', 'MEDIUM', 'HIGH']).optional(),
  })
  .refine(
    ({ thinkingBudget, thinkingLevel }) => thinkingBudget === undefined || thinkingLevel === undefined,
    'thinking_budget and thinking_level are not supported together',
  );

/** The most stop sequences (reference, GenerationConfig). */
const MAX_STOP = 5;

export const generateRequestSchema = z.strictObject({
  contents: z.array(contentSchema).min(1, 'contents is not specified'),
  systemInstruction: z
    .strictObject({ role: z.string().optional(), parts: z.array(partSchema).min(1) })
    .optional(),
  tools: z.array(z.strictObject({ functionDeclarations: z.array(declarationSchema).min(1) })).optional(),
  toolConfig: z
    .strictObject({
      functionCallingConfig: z.strictObject({
        mode: z.enum(['AUTO', 'ANY', 'NONE']),
        allowedFunctionNames: z.array(z.string()).optional(),
      }),
    })
    .optional(),
  generationConfig: z
    .strictObject({
      maxOutputTokens: z.int().min(1).optional(),
      temperature: z.number().min(0).max(2).optional(),
      topP: z.number().min(0).max(1).optional(),
      stopSequences: z.array(z.string().min(1)).max(MAX_STOP).optional(),
      responseMimeType: z.enum(['text/plain', 'application/json']).optional(),
      responseJsonSchema: jsonObject.optional(),
      thinkingConfig: thinkingSchema.optional(),
    })
    .optional(),
});

export type GenerateRequest = z.infer<typeof generateRequestSchema>;
export type GeminiPart = z.infer<typeof partSchema>;

export const thinks = ({ generationConfig }: GenerateRequest): boolean =>
  generationConfig?.thinkingConfig?.includeThoughts === true;
