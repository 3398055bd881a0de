/** `POST /v1/chat/completions`. */

import { createCompletionEndpoint } from '../../core/completions/completion-endpoint.ts';
import { chatFormat } from '../../formats/chat/format.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { createChatProviders, paidHandler } from '../../handlers/paid-handler.ts';

export const handler = paidHandler('openai', (calls) =>
  createCompletionEndpoint(chatFormat, chatCompletionRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
