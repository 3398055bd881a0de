/** `POST /v1/responses/input_tokens`: what a Responses request would probably count as prompt; nothing is billed. */
import { responsesFormat } from '../../core/inference/completions/responses/format.ts';
import { responsesRequest } from '../../core/inference/completions/responses/schema.ts';
import {
  createTokenCount,
  type TokenCountDependencies,
} from '../../core/inference/completions/token-count.ts';
import type { Endpoint } from '../../core/ports.ts';

export const countResponseTokens = (dependencies: TokenCountDependencies): Endpoint =>
  createTokenCount(
    {
      format: responsesFormat,
      schema: responsesRequest,
      answer: (input_tokens) => ({ object: 'response.input_tokens', input_tokens }),
    },
    dependencies,
  );
