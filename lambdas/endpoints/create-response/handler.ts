/** `POST /v1/responses`. */

import { createCompletionEndpoint } from '../../core/inference/completions/completion-endpoint.ts';
import { responsesFormat } from '../../core/inference/completions/responses/format.ts';
import { responsesRequest } from '../../core/inference/completions/responses/schema.ts';
import { createChatProviders, paidHandler } from '../../hosts/paid-handler.ts';

export const handler = paidHandler('openai', (calls) =>
  createCompletionEndpoint(responsesFormat, responsesRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
