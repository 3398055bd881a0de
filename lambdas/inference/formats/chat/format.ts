/** OpenAI's chat completions. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import type { CallStreamEvent } from '../../core/completions/response-writer.ts';
import { CHAT_FIELDS } from './fields.ts';
import { toPayload } from './payload.ts';
import { type ChatRequest, choicesOf, DEFAULT_MAX_TOKENS } from './request.ts';
import { chatWriter, type Fingerprint, fingerprintOf, usageBody } from './response-writer.ts';

/** A completion as the event stream of chat completions (OpenAI API reference, Chat, Streaming). */
const encodeEvent = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export const chatEvents: EventFormat = { heartbeat: ': keep-alive\n\n', errorEvent: encodeEvent };

/** Yields the chunks, then usage if requested, then `[DONE]`. A stream that fails has no `[DONE]`. */
async function* encodeChatStream(
  request: ChatRequest,
  fingerprint: Fingerprint,
  events: AsyncIterable<CallStreamEvent>,
): AsyncGenerator<string, void> {
  const includeUsage = request.stream_options?.include_usage === true;
  let last: JsonObject = {};
  for await (const event of events) {
    if (event.type === 'output') {
      last = { ...event.event, ...fingerprint };
      yield encodeEvent(includeUsage ? { ...last, usage: null } : last);
    } else if (includeUsage) {
      const usage = { ...usageBody(event.usage), cost: usdJson(event.settlement.record.cost) };
      yield encodeEvent({ ...last, choices: [], usage });
    }
  }
  yield 'data: [DONE]\n\n';
}

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
  responseId: (ulid) => `chatcmpl-${ulid}`,
  createWriter: ({ request, createdMs, catalog }) => {
    const fingerprint = fingerprintOf(catalog);
    const hidesReasoning = request.reasoning?.exclude === true;
    return {
      writer: (options) => chatWriter({ ...options, createdMs, fingerprint, hidesReasoning }),
      encode: (events) => encodeChatStream(request, fingerprint, events),
      events: chatEvents,
    };
  },
};
