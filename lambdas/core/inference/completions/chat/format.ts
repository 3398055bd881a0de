/** OpenAI's chat completions. */
import type { ApiFormat } from '../api-format.ts';
import { CHAT_FIELDS } from './fields.ts';
import { chatEvents, chatFrames } from './frames.ts';
import { toPayload } from './payload.ts';
import { chatWriter } from './reply.ts';
import { type ChatRequest, choicesOf, DEFAULT_MAX_TOKENS } from './request.ts';

const boundField = ({ max_completion_tokens: newer }: Pick<ChatRequest, 'max_completion_tokens'>) =>
  newer == null ? 'max_tokens' : 'max_completion_tokens';

export const chatFormat: ApiFormat<ChatRequest> = {
  protocol: 'openai',
  fields: CHAT_FIELDS,
  toPayload,
  maxTokens: (request) => ({
    tokens: request.max_completion_tokens ?? request.max_tokens ?? undefined,
    param: boundField(request),
    fallback: DEFAULT_MAX_TOKENS,
  }),
  withMaxTokens: ({ max_tokens: _older, ...request }, tokens) => ({
    ...request,
    [boundField(request)]: tokens,
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
