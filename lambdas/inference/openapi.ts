/** The descriptions of calls to models, and of the list of models. */
import * as z from 'zod';
import { ok, tagged } from '../platform/contract/operation.ts';
import {
  modelListQuery,
  modelListSchema,
  modelSchema,
  priceListSchema,
  priceSchema,
} from './core/catalog/model-lists.ts';
import { embeddingRequest } from './core/kinds/embeddings/embeddings.ts';
import { imageRequest } from './core/kinds/images/images.ts';
import { speechRequest } from './core/kinds/speech/speech.ts';
import { transcriptionFields } from './core/kinds/transcriptions/schema.ts';
import { usageSchema as chatUsage } from './formats/chat/response-writer.ts';
import { chatCompletionRequest } from './formats/chat/schema.ts';
import { usageSchema as messagesUsage } from './formats/messages/response-writer.ts';
import { messagesRequest } from './formats/messages/schema.ts';
import { responsesRequest } from './formats/responses/schema.ts';

const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
  system_fingerprint: z.string().describe('Changes with the catalog of models and routes.'),
  choices: z.array(
    z.looseObject({
      index: z.int(),
      message: z.looseObject({ role: z.literal('assistant'), content: z.string().nullable() }),
      finish_reason: z.string().nullable(),
    }),
  ),
  usage: chatUsage,
});

const message = z.looseObject({
  id: z.string(),
  type: z.literal('message'),
  role: z.literal('assistant'),
  model: z.string(),
  content: z.array(z.looseObject({ type: z.string() })),
  stop_reason: z.string().nullable(),
  stop_sequence: z.string().nullable(),
  usage: messagesUsage,
});

const response = z.looseObject({
  id: z.string(),
  object: z.literal('response'),
  created_at: z.int(),
  status: z.string().describe('`completed`, `incomplete` or `failed`.'),
  model: z.string(),
  output: z.array(z.looseObject({ type: z.string(), id: z.string() })),
  usage: z.looseObject({ input_tokens: z.int(), output_tokens: z.int(), total_tokens: z.int() }).nullable(),
});

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

const IDEMPOTENCY = {
  'Idempotency-Key': {
    pattern: '^[!-~]{1,255}$',
    description:
      '1 to 255 visible ASCII characters. A repetition within 24 hours replays the completed call and is not billed again.',
  },
};

const IGNORED = {
  'x-ignored-fields':
    'Fields of the request that a route of the call does not get: percent-encoded, separated by commas, at most 20 names and 1 KB, then `...`.',
};

const HELLO = [{ role: 'user', content: 'Say hello.' }];

const ROUTED = { ...IGNORED, 'x-route': 'The route that served the call.' };

/** The headers of a response that may be stored, and is settled before it leaves. A stream has its cost in its last event. */
const PAID_HEADERS = {
  ...ROUTED,
  'x-cost-usd':
    'The cost in USD, as in the usage record. Not of a stream, whose last event has `usage.cost`.',
  'x-balance-usd': 'The balance of the account after the call, in USD. Not of a stream.',
  'idempotent-replayed': '`true` if an earlier call with the same `Idempotency-Key` made the response.',
};

const COMPLETION_HEADERS = {
  ...PAID_HEADERS,
  'x-max-tokens': 'The output limit that counted, if the request has none or one above that of the model.',
};

/** Errors of a paid call. */
const PAID = [402, 403];

export const INFERENCE_COMPONENTS = {
  Model: modelSchema,
  ModelList: modelListSchema,
  Price: priceSchema,
  PriceList: priceListSchema,
};

export const INFERENCE_OPERATIONS = {
  ...tagged('Inference', {
    'create-chat-completion': {
      description:
        'OpenAI’s Chat Completions. With `stream`, chunks as server-sent events that end with `data: [DONE]`.',
      headers: IDEMPOTENCY,
      body: chatCompletionRequest,
      example: { messages: HELLO, max_tokens: 200 },
      exampleKind: 'chat',
      responses: {
        200: {
          description: 'The completion.',
          headers: COMPLETION_HEADERS,
          schema: chatCompletion,
          otherForms: { 'text/event-stream': '`chat.completion.chunk` objects, then `data: [DONE]`.' },
        },
      },
      errors: PAID,
    },
    'create-message': {
      description: 'Anthropic’s Messages. With `stream`, its events from `message_start` to `message_stop`.',
      headers: IDEMPOTENCY,
      body: messagesRequest,
      example: { max_tokens: 200, messages: HELLO },
      exampleKind: 'chat',
      responses: {
        200: {
          description: 'The message.',
          headers: COMPLETION_HEADERS,
          schema: message,
          otherForms: {
            'text/event-stream': '`message_start`, content blocks, `message_delta`, `message_stop`.',
          },
        },
      },
      errors: PAID,
    },
    'count-message-tokens': {
      body: messagesRequest,
      example: { messages: HELLO },
      exampleKind: 'chat',
      responses: ok('The count.', z.object({ input_tokens: z.int() })),
    },
    'create-response': {
      description:
        'OpenAI’s Responses, with nothing stored: what a later turn needs is in the items themselves. With `stream`, its events from `response.created` to `response.completed`, `response.incomplete` or `response.failed`.',
      headers: IDEMPOTENCY,
      body: responsesRequest,
      example: { input: 'Say hello.', max_output_tokens: 200 },
      exampleKind: 'chat',
      responses: {
        200: {
          description: 'The response.',
          headers: COMPLETION_HEADERS,
          schema: response,
          otherForms: { 'text/event-stream': '`response.*` events, numbered by `sequence_number`.' },
        },
      },
      errors: PAID,
    },
    'count-response-tokens': {
      body: responsesRequest,
      example: { input: 'Say hello.' },
      exampleKind: 'chat',
      responses: ok(
        'The count.',
        z.object({ object: z.literal('response.input_tokens'), input_tokens: z.int() }),
      ),
    },
    'create-embeddings': {
      description: 'OpenAI’s embeddings. Without `model`, the default one.',
      headers: IDEMPOTENCY,
      body: embeddingRequest,
      example: { input: ['A lighthouse at dusk', 'A house by the sea'] },
      exampleKind: 'embeddings',
      responses: ok('One vector per input, in the order of the inputs.', embeddings, PAID_HEADERS),
      errors: PAID,
    },
    'create-images': {
      description: 'OpenAI’s image generation.',
      headers: IDEMPOTENCY,
      body: imageRequest,
      example: { prompt: 'A lighthouse at dusk' },
      exampleKind: 'image',
      responses: ok('The images.', images, PAID_HEADERS),
      errors: PAID,
    },
    'create-speech': {
      description: 'OpenAI’s speech. The audio is streamed.',
      headers: IDEMPOTENCY,
      body: speechRequest,
      example: { input: 'The ship leaves at dusk.' },
      exampleKind: 'tts',
      responses: {
        200: {
          description: 'The audio.',
          headers: { ...ROUTED, 'x-cost-usd': PAID_HEADERS['x-cost-usd'] },
          otherForms: { 'audio/mpeg': 'MP3.', 'audio/wav': 'WAV.' },
        },
      },
      errors: PAID,
    },
    'create-transcription': {
      description:
        'OpenAI’s transcription. The format `text` is returned as JSON, too. Billed by the length of the recording.',
      headers: IDEMPOTENCY,
      form: { fields: transcriptionFields, file: 'file' },
      example: { response_format: 'json' },
      exampleKind: 'audio',
      responses: ok('The transcript.', transcript, PAID_HEADERS),
      errors: PAID,
    },
  }),
  ...tagged('Catalog', {
    'list-models': {
      query: modelListQuery,
      responses: ok('Every model, and every alias.', modelListSchema),
    },
    'get-model': {
      description: 'The id may hold slashes.',
      responses: ok('The model.', modelSchema),
    },
    'list-prices': {
      responses: ok('Every model with its price in USD.', priceListSchema),
    },
  }),
};
