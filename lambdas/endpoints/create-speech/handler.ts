/** Wires `POST /v1/audio/speech` for Lambda. */
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createSpeechCalls } from '../../providers/kinds/provider-calls.ts';
import { createSpeech } from './endpoint.ts';

export const handler = paidHandler('openai', (calls) => createSpeech(createSpeechCalls(calls), calls));
