/** `POST /v1/chat/completions`. */
import { chatFormat } from '../../core/inference/completions/chat/format.ts';
import { chatCompletionRequest } from '../../core/inference/completions/chat/schema.ts';
import { createCompletionEndpoint } from '../../core/inference/completions/completion-endpoint.ts';
import { createChatProviders, paidHandler } from '../../hosts/paid-handler.ts';

export const handler = paidHandler('openai', (calls) =>
  createCompletionEndpoint(chatFormat, chatCompletionRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
