/** OpenAI's chat completions. */
import type { ApiFormat } from '../api-format.ts';
import { chatEvents, chatFrames } from './frames.ts';
import { toPayload } from './payload.ts';
import { chatWriter } from './reply.ts';
import { type ChatRequest, choicesOf, maxTokensOf } from './request.ts';

export const chatFormat: ApiFormat<ChatRequest> = {
  toPayload,
  maxTokens: (request) => ({
    tokens: maxTokensOf(request),
    param: request.max_completion_tokens == null ? 'max_tokens' : 'max_completion_tokens',
  }),
  choices: choicesOf,
  answerId: (ulid) => `chatcmpl-${ulid}`,
  answer: ({ request, createdMs }) => ({
    writer: (options) =>
      chatWriter({ ...options, createdMs, hidesReasoning: request.reasoning?.exclude === true }),
    frames: (events) => chatFrames(request, events),
    events: chatEvents,
  }),
};
