/** The descriptions of embeddings, images, speech and transcriptions. */
import * as z from 'zod';
import { answer, tagged } from '../platform/contract/operation.ts';
import { embeddingRequest } from './core/kinds/embeddings/embeddings.ts';
import { imageRequest } from './core/kinds/images/images.ts';
import { speechRequest } from './core/kinds/speech/speech.ts';
import { transcriptionFields } from './core/kinds/transcriptions/schema.ts';
import { IDEMPOTENCY, PAID } from './openapi.ts';

const embeddings = z.looseObject({
  object: z.literal('list'),
  model: z.string(),
  data: z.array(
    z.looseObject({
      object: z.literal('embedding'),
      index: z.int(),
      embedding: z
        .union([z.array(z.number()), z.string()])
        .describe('Numbers, or with `base64` the same numbers as little-endian 32-bit floats.'),
    }),
  ),
  usage: z.looseObject({ prompt_tokens: z.int(), total_tokens: z.int() }),
});

const images = z.looseObject({
  created: z.int(),
  data: z.array(z.looseObject({ b64_json: z.string().optional(), url: z.string().optional() })),
});

const transcript = z.looseObject({
  text: z.string(),
  task: z.literal('transcribe').optional(),
  language: z.string().optional(),
  duration: z.number().optional().describe('Seconds.'),
  segments: z.array(z.looseObject({ start: z.number(), end: z.number(), text: z.string() })).optional(),
});

export const CALL_KIND_OPERATIONS = tagged('Inference', {
  'create-embeddings': {
    description: 'OpenAI’s embeddings. Without `model`, the default one.',
    headers: IDEMPOTENCY,
    body: embeddingRequest,
    answers: { 200: answer('One vector per input, in the order of the inputs.', embeddings) },
    errors: PAID,
  },
  'create-images': {
    description: 'OpenAI’s image generation.',
    headers: IDEMPOTENCY,
    body: imageRequest,
    answers: { 200: answer('The images.', images) },
    errors: PAID,
  },
  'create-speech': {
    description: 'OpenAI’s speech. The audio is streamed.',
    headers: IDEMPOTENCY,
    body: speechRequest,
    answers: {
      200: { description: 'The audio.', otherForms: { 'audio/mpeg': 'MP3.', 'audio/wav': 'WAV.' } },
    },
    errors: PAID,
  },
  'create-transcription': {
    description:
      'OpenAI’s transcription. The format `text` is answered as JSON, too. Billed by the length of the recording.',
    headers: IDEMPOTENCY,
    form: { fields: transcriptionFields, file: 'file' },
    answers: { 200: answer('The transcript.', transcript) },
    errors: PAID,
  },
});
