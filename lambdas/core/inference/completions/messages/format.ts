/** Anthropic's Messages API. */
import type { ApiFormat } from '../api-format.ts';
import { messagesEvents, messagesFrames } from './frames.ts';
import { toPayload } from './payload.ts';
import { messagesWriter } from './reply.ts';
import { type MessagesRequest, maxTokensOf } from './request.ts';

export const messagesFormat: ApiFormat<MessagesRequest> = {
  toPayload,
  maxTokens: (request) => ({ tokens: maxTokensOf(request), param: 'max_tokens' }),
  choices: () => 1,
  answerId: (ulid) => `msg_${ulid}`,
  answer: () => ({ writer: messagesWriter, frames: messagesFrames, events: messagesEvents }),
};
