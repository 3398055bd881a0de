/** Wires `POST /v1/messages` for Lambda. */
import { createChatProviders } from '../../hosts/chat-providers.ts';
import { paidHandler } from '../../hosts/paid-handler.ts';
import { createMessage } from './endpoint.ts';

export const handler = paidHandler('messages', (calls) =>
  createMessage({ ...calls, providers: createChatProviders(calls) }),
);
