/** `POST /v1/messages`. */

import { createCompletionEndpoint } from '../../core/inference/completions/completion-endpoint.ts';
import { messagesFormat } from '../../core/inference/completions/messages/format.ts';
import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import { createChatProviders, paidHandler } from '../../hosts/paid-handler.ts';

export const handler = paidHandler('messages', (calls) =>
  createCompletionEndpoint(messagesFormat, messagesRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
