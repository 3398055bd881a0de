/** The Messages surface: Anthropic's Messages API. */
import type { Surface } from '../surface.ts';
import { messagesFrames, PING } from './frames.ts';
import { toPayload } from './payload.ts';
import { messagesWriter } from './reply.ts';
import { type MessagesRequest, maxTokensOf } from './request.ts';

export const messagesSurface: Surface<MessagesRequest> = {
  toPayload,
  maxTokens: (request) => ({ tokens: maxTokensOf(request), param: 'max_tokens' }),
  choices: () => 1,
  answerId: (ulid) => `msg_${ulid}`,
  writer: messagesWriter,
  frames: messagesFrames,
  heartbeat: PING,
};
