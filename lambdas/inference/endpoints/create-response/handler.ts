/** `POST /v1/responses`. */

import { createCompletionEndpoint } from '../../core/completions/completion-endpoint.ts';
import { responsesFormat } from '../../formats/responses/format.ts';
import { responsesRequest } from '../../formats/responses/schema.ts';
import { createChatProviders, paidHandler } from '../../handlers/paid-handler.ts';

export const handler = paidHandler('openai', (calls) =>
  createCompletionEndpoint(responsesFormat, responsesRequest, {
    ...calls,
    providers: createChatProviders(calls),
  }),
);
