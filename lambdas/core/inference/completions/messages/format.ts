/** Anthropic's Messages API. */
import type { ApiFormat } from '../api-format.ts';
import { MESSAGES_FIELDS } from './fields.ts';
import { messagesEvents, messagesFrames } from './frames.ts';
import { optionalTools, withoutTools } from './optional-tools.ts';
import { toPayload } from './payload.ts';
import { messagesWriter } from './reply.ts';
import { DEFAULT_MAX_TOKENS, type MessagesRequest } from './request.ts';

export const messagesFormat: ApiFormat<MessagesRequest> = {
  protocol: 'anthropic',
  fields: MESSAGES_FIELDS,
  toPayload,
  optionalTools,
  withoutTools,
  maxTokens: ({ max_tokens: tokens }) => ({
    tokens: tokens ?? undefined,
    param: 'max_tokens',
    fallback: DEFAULT_MAX_TOKENS,
  }),
  withMaxTokens: (request, tokens) => ({
    ...request,
    max_tokens: tokens,
    ...thinkingWithin(request, tokens),
  }),
  choices: () => 1,
  answerId: (ulid) => `msg_${ulid}`,
  answer: () => ({ writer: messagesWriter, frames: messagesFrames, events: messagesEvents }),
};

/** A budget must leave a token for the answer, and has a least size (Claude API docs, Extended thinking). */
const LEAST_BUDGET = 1_024;

/** The thinking of a request whose answer becomes shorter than it was asked for. */
function thinkingWithin({ thinking }: MessagesRequest, tokens: number): Pick<MessagesRequest, 'thinking'> {
  if (thinking?.budget_tokens == null || thinking.budget_tokens < tokens) return {};
  if (tokens <= LEAST_BUDGET) return { thinking: { type: 'disabled' } };
  return { thinking: { ...thinking, budget_tokens: tokens - 1 } };
}
