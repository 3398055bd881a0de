/** The descriptions of embeddings, images, speech and transcriptions. */
import * as z from 'zod';
import { embeddingRequest } from '../core/inference/kinds/embeddings/schema.ts';
import { imageRequest } from '../core/inference/kinds/images/schema.ts';
import { speechRequest } from '../core/inference/kinds/speech/schema.ts';
import { transcriptionFields } from '../core/inference/kinds/transcriptions/schema.ts';
import { IDEMPOTENCY, PAID } from './inference-operations.ts';
import type { Operation } from './operation.ts';

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

export const CALL_KIND_OPERATIONS = {
  'create-embeddings': {
    tag: 'Inference',
    description: 'OpenAI’s embeddings. Without `model`, the default one.',
    headers: IDEMPOTENCY,
    body: embeddingRequest,
    answers: {
      200: { description: 'One vector per input, in the order of the inputs.', schema: embeddings },
    },
    errors: PAID,
  },
  'create-images': {
    tag: 'Inference',
    description: 'OpenAI’s image generation.',
    headers: IDEMPOTENCY,
    body: imageRequest,
    answers: { 200: { description: 'The images.', schema: images } },
    errors: PAID,
  },
  'create-speech': {
    tag: 'Inference',
    description: 'OpenAI’s speech. The audio is streamed.',
    headers: IDEMPOTENCY,
    body: speechRequest,
    answers: {
      200: { description: 'The audio.', otherForms: { 'audio/mpeg': 'MP3.', 'audio/wav': 'WAV.' } },
    },
    errors: PAID,
  },
  'create-transcription': {
    tag: 'Inference',
    description:
      'OpenAI’s transcription. The format `text` is answered as JSON, too. Billed by the length of the recording.',
    headers: IDEMPOTENCY,
    form: { fields: transcriptionFields, file: 'file' },
    answers: { 200: { description: 'The transcript.', schema: transcript } },
    errors: PAID,
  },
} as const satisfies Readonly<Record<string, Operation>>;
