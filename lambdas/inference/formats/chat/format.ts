/** OpenAI's chat completions. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { usdJson } from '../../../platform/core/money.ts';
import type { EventFormat } from '../../../platform/core/ports.ts';
import type { ApiFormat } from '../../core/completions/api-format.ts';
import { DEFAULT_MAX_TOKENS } from '../../core/completions/output-default.ts';
import type { StreamEncoder } from '../../core/completions/response-writer.ts';
import { CHAT_FIELDS } from './fields.ts';
import { toPayload } from './payload.ts';
import { type ChatRequest, choicesOf } from './request.ts';
import { chatWriter, type Fingerprint, fingerprintOf, usageBody } from './response-writer.ts';

/** A completion as the event stream of chat completions (OpenAI API reference, Chat, Streaming). */
const encodeEvent = (data: unknown) => `data: ${JSON.stringify(data)}\n\n`;

export const chatEvents: EventFormat = { heartbeat: ': keep-alive\n\n', errorEvent: encodeEvent };

/** Encodes the chunks, then usage if requested, then `[DONE]`. A stream that fails has no `[DONE]`. */
function chatEncoder(request: ChatRequest, fingerprint: Fingerprint): StreamEncoder {
  const includeUsage = request.stream_options?.include_usage === true;
  let last: JsonObject = {};
  return {
    output(event) {
      last = event;
      return [
        encodeEvent(includeUsage ? { ...event, ...fingerprint, usage: null } : { ...event, ...fingerprint }),
      ];
    },
    end(tokenUsage, { record }) {
      const usage = { ...usageBody(tokenUsage), cost: usdJson(record.cost) };
      return `${includeUsage ? encodeEvent({ ...last, ...fingerprint, choices: [], usage }) : ''}data: [DONE]\n\n`;
    },
  };
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
      encoder: chatEncoder(request, fingerprint),
      events: chatEvents,
    };
  },
};
