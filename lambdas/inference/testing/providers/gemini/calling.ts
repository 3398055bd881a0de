/** Calls of the provider with a conversation, as it has them from every API format. */
import { NO_FIELDS } from '../../../core/fields/read-fields.ts';
import type { ChatPayload } from '../../../core/upstream/provider.ts';
import { createGeminiProvider } from '../../../providers/gemini/provider.ts';
import { callsOf, DEPENDENCIES } from '../http-calls.ts';

const payload = (stream: boolean): ChatPayload => ({
  protocol: 'openai',
  body: {},
  stream,
  conversation: () => ({
    system: [],
    tools: [],
    maxTokens: 100,
    stop: [],
    turns: [{ role: 'user', parts: [{ type: 'text', text: 'Grüße' }] }],
  }),
  fields: NO_FIELDS,
});

export const callAt = callsOf({
  protocol: 'gemini',
  provider: createGeminiProvider(DEPENDENCIES),
  identity: { id: 'chatcmpl-abc', model: 'a/b' },
  payload,
});
