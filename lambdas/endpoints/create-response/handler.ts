/** Wires `POST /v1/responses` for Lambda. */
import { createChatProviders } from '../../hosts/chat-providers.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createResponse } from './endpoint.ts';

export const handler = paidHandler('openai', (calls) =>
  createResponse({ ...calls, providers: createChatProviders(calls) }),
);
