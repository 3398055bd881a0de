/** The descriptions of the inference surfaces, the catalog and the usage records. */
import * as z from 'zod';
import { usageSchema as chatUsage } from '../core/inference/completions/chat/reply.ts';
import { chatCompletionRequest } from '../core/inference/completions/chat/schema.ts';
import { usageSchema as messagesUsage } from '../core/inference/completions/messages/reply.ts';
import { messagesRequest } from '../core/inference/completions/messages/schema.ts';
import { usageQuery } from '../core/ledger/usage-query.ts';
import { COMPONENTS } from './components.ts';
import type { Operation } from './operation.ts';

const chatCompletion = z.looseObject({
  id: z.string(),
  object: z.literal('chat.completion'),
  created: z.int(),
  model: z.string(),
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

export const IDEMPOTENCY = {
  'Idempotency-Key':
    '1 to 255 visible ASCII characters. A repetition within 24 hours replays the completed call and is not billed again.',
};

/** What a paid call can end in, beside what every route can. */
export const PAID = [400, 402, 403, 503];

export const INFERENCE_OPERATIONS = {
  'create-chat-completion': {
    tag: 'Inference',
    description:
      'OpenAI’s Chat Completions. With `stream`, chunks as server-sent events that end with `data: [DONE]`.',
    headers: IDEMPOTENCY,
    body: chatCompletionRequest,
    answers: {
      200: {
        description: 'The completion.',
        schema: chatCompletion,
        otherForms: { 'text/event-stream': '`chat.completion.chunk` objects, then `data: [DONE]`.' },
      },
    },
    errors: PAID,
  },
  'create-message': {
    tag: 'Inference',
    description: 'Anthropic’s Messages. With `stream`, its events from `message_start` to `message_stop`.',
    headers: IDEMPOTENCY,
    body: messagesRequest,
    answers: {
      200: {
        description: 'The message.',
        schema: message,
        otherForms: {
          'text/event-stream': '`message_start`, content blocks, `message_delta`, `message_stop`.',
        },
      },
    },
    errors: PAID,
  },
  'count-message-tokens': {
    tag: 'Inference',
    body: messagesRequest,
    answers: { 200: { description: 'The count.', schema: z.object({ input_tokens: z.int() }) } },
    errors: [400],
  },
  'list-models': {
    tag: 'Catalog',
    answers: {
      200: {
        description: 'Every model.',
        schema: COMPONENTS.ModelList,
      },
    },
  },
  'get-model': {
    tag: 'Catalog',
    description: 'The id may hold slashes.',
    answers: { 200: { description: 'The model.', schema: COMPONENTS.Model } },
    errors: [404],
  },
  'list-prices': {
    tag: 'Catalog',
    answers: {
      200: {
        description: 'Every model with its price in USD.',
        schema: COMPONENTS.PriceList,
      },
    },
  },
  'list-usage': {
    tag: 'Usage',
    query: usageQuery,
    answers: { 200: { description: 'A page of calls.', schema: COMPONENTS.UsageRecordPage } },
    errors: [400],
  },
  'get-usage': {
    tag: 'Usage',
    answers: { 200: { description: 'The call.', schema: COMPONENTS.UsageRecord } },
    errors: [404],
  },
} as const satisfies Readonly<Record<string, Operation>>;
