/** Wires `POST /v1/chat/completions` for Lambda. */
import { createChatProviders } from '../../hosts/chat-providers.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createChatCompletion } from './endpoint.ts';

export const handler = paidHandler('openai', (calls) =>
  createChatCompletion({ ...calls, providers: createChatProviders(calls) }),
);
