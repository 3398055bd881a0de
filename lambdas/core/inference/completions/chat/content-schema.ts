/** Parts of chat messages, checked in full (OpenAI API reference, Create chat completion); fields they do not name are kept. */
import * as z from 'zod';
import { isBase64 } from '../../upstream/base64.ts';
import { only } from '../../upstream/foreign-fields.ts';
import { AUDIO_FORMATS, isPdfUrl } from '../../upstream/sources.ts';
import { FILE_KEPT_NOWHERE } from '../openai-names.ts';

/** What parts hold, each of its own type alone. */
const PARTS = ['text', 'refusal', 'image_url', 'input_audio', 'file'];

const textPart = z
  .looseObject({ type: z.literal('text'), text: z.string() })
  .superRefine(only('a text part', PARTS, ['text']));

const refusalPart = z
  .looseObject({ type: z.literal('refusal'), refusal: z.string() })
  .superRefine(only('a refusal part', PARTS, ['refusal']));

const imagePart = z
  .looseObject({
    type: z.literal('image_url'),
    image_url: z.looseObject({
      url: z.string().refine(isImageUrl, 'must be an http(s) or a base64 data URL'),
      detail: z.string().nullish(),
    }),
  })
  .superRefine(only('an image_url part', PARTS, ['image_url']));

const DATA_URL = /^data:image\/[a-z0-9.+-]{1,64};base64,/i;
const ADDRESS = /^https?:\/\//i;

function isImageUrl(url: string): boolean {
  const opening = DATA_URL.exec(url)?.[0];
  return opening === undefined ? ADDRESS.test(url) : isBase64(url.slice(opening.length));
}

/** An address in place of the bytes is OpenRouter's (OpenRouter docs, PDF inputs). */
const filePart = z
  .looseObject({
    type: z.literal('file'),
    file: z.looseObject({
      file_id: z.null(FILE_KEPT_NOWHERE).optional(),
      file_data: z
        .string()
        .refine(
          (text) => isPdfUrl(text) || ADDRESS.test(text),
          'must be a PDF as a base64 data URL, or its http(s) URL',
        ),
      filename: z.string().max(256).nullish(),
    }),
  })
  .superRefine(only('a file part', PARTS, ['file']));

const audioPart = z
  .looseObject({
    type: z.literal('input_audio'),
    input_audio: z.looseObject({
      data: z.string().refine(isBase64, 'must be base64'),
      format: z.enum(AUDIO_FORMATS),
    }),
  })
  .superRefine(only('an input_audio part', PARTS, ['input_audio']));

const texts = (...parts: [typeof textPart] | [typeof textPart, typeof refusalPart]) =>
  z.union(
    [z.string(), z.array(z.discriminatedUnion('type', parts)).min(1)],
    'must be a string or an array of text parts',
  );

/** What a system, developer or tool message says. */
export const textContent = texts(textPart);

export const assistantContent = texts(textPart, refusalPart);

export const userContent = z.union(
  [z.string(), z.array(z.discriminatedUnion('type', [textPart, imagePart, filePart, audioPart])).min(1)],
  'must be a string or an array of text, image_url, file and input_audio parts',
);
