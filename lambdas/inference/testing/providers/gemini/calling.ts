/** Calls of the provider with a conversation, as it has them from every API format. */
import { createGeminiProvider } from '../../../providers/gemini/provider.ts';
import { callsOf, DEPENDENCIES } from '../http-calls.ts';
import { CONVERSATION, convertedPayload } from '../payloads.ts';

export const callAt = callsOf({
  protocol: 'gemini',
  provider: createGeminiProvider(DEPENDENCIES),
  identity: { id: 'chatcmpl-abc', model: 'a/b' },
  payload: (stream) => convertedPayload(CONVERSATION, stream, 'openai'),
});
