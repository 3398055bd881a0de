/** `POST /v1/audio/speech`. */
import { PollyClient } from '@aws-sdk/client-polly';
import { createKindEndpoint } from '../../core/kinds/kind-endpoint.ts';
import { speech } from '../../core/kinds/speech/speech.ts';
import { paidHandler } from '../../handlers/paid-handler.ts';
import { createSpeechCalls } from '../../providers/kinds/provider-calls.ts';
import { clientsByAddress } from '../../store/aws-clients.ts';

export const handler = paidHandler('openai', (calls) => {
  const pollyClient = clientsByAddress((settings) => new PollyClient(settings), calls.exchange);
  return createKindEndpoint(speech, createSpeechCalls({ ...calls, pollyClient }), calls);
});
