/** `POST /v1/messages`. */

import { createCompletionEndpoint } from '../../core/completions/completion-endpoint.ts';
import { messagesFormat } from '../../formats/messages/format.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import { createChatProviders, paidHandler } from '../../handlers/paid-handler.ts';

export const handler = paidHandler('messages', (calls) =>
  createCompletionEndpoint(messagesFormat, messagesRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
