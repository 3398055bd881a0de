/** `POST /v1/responses`. */
import {
  type CompletionDependencies,
  createCompletionEndpoint,
} from '../../core/inference/completions/completion-endpoint.ts';
import { responsesFormat } from '../../core/inference/completions/responses/format.ts';
import { responsesRequest } from '../../core/inference/completions/responses/schema.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createResponse = (dependencies: CompletionDependencies): StreamingEndpoint =>
  createCompletionEndpoint(responsesFormat, responsesRequest, dependencies);
