/** Calls of the provider in its own protocol. */
import { createOpenAiProvider } from '../../../providers/openai/provider.ts';
import { callsOf, DEPENDENCIES } from '../http-calls.ts';
import { IDENTITY, nativePayload } from './fixtures.ts';

const BODY = { model: 'sim/chat', messages: [{ role: 'user', content: 'Grüße' }], seed: 7 };

export const callAt = callsOf({
  protocol: 'openai',
  provider: createOpenAiProvider(DEPENDENCIES),
  identity: IDENTITY,
  payload: (stream) => nativePayload(BODY, stream),
});
