/** Calls of callers of the route's own protocol, and of any other. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { Conversation } from '../../core/upstream/conversation.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { NO_FIELDS } from '../fields/no-fields.ts';

type CallerProtocol = ChatPayload['protocol'];

export const PLAIN: Conversation = { system: [], turns: [], tools: [], maxTokens: 256, stop: [] };

/** One short question. */
export const CONVERSATION: Conversation = {
  ...PLAIN,
  turns: [{ role: 'user', parts: [{ type: 'text', text: 'Grüße' }] }],
};

export const nativePayloadOf =
  (protocol: CallerProtocol) =>
  (body: JsonObject = {}, stream = false): ChatPayload => ({
    protocol,
    body,
    conversation: () => {
      throw new Error("a route of the caller's own protocol needs no conversion");
    },
    stream,
    fields: NO_FIELDS,
  });

/** A call that says what the conversation does; nothing of its body may be sent. */
export const convertedPayload = (
  conversation: Partial<Conversation> = {},
  stream = false,
  protocol: CallerProtocol = 'anthropic',
): ChatPayload => ({
  protocol,
  body: { max_tokens: 1, stop_sequences: ['never sent'], service_tier: 'priority', store: true },
  conversation: () => ({ ...PLAIN, ...conversation }),
  stream,
  fields: NO_FIELDS,
});
