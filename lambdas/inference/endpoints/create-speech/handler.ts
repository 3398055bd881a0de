/** `POST /v1/audio/speech`. */
import { createKindEndpoint } from '../../core/kinds/kind-endpoint.ts';
import { speech } from '../../core/kinds/speech/speech.ts';
import { paidHandler } from '../../handlers/paid-handler.ts';
import { createSpeechCalls } from '../../providers/kinds/provider-calls.ts';

export const handler = paidHandler('openai', (calls) =>
  createKindEndpoint(speech, createSpeechCalls(calls), calls),
);
