/** Calls of the provider in its own protocol. */
import { createAnthropicProvider } from '../../../providers/anthropic/provider.ts';
import { callsOf, DEPENDENCIES } from '../http-calls.ts';
import { IDENTITY, nativePayload } from './fixtures.ts';

const BODY = { model: 'sim/chat', max_tokens: 256, messages: [{ role: 'user', content: 'Grüße' }], top_k: 7 };

export const callAt = callsOf({
  protocol: 'anthropic',
  provider: createAnthropicProvider(DEPENDENCIES),
  identity: IDENTITY,
  payload: (stream) => nativePayload(BODY, stream),
});
