/** `POST /v1/messages/count_tokens`: what a Messages request would probably count as prompt; nothing is billed. */
import { messagesFormat } from '../../core/inference/completions/messages/format.ts';
import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import {
  createTokenCount,
  type TokenCountDependencies,
} from '../../core/inference/completions/token-count.ts';
import type { Endpoint } from '../../core/ports.ts';

export const countMessageTokens = (dependencies: TokenCountDependencies): Endpoint =>
  createTokenCount(
    {
      format: messagesFormat,
      schema: messagesRequest,
      answer: (input_tokens) => ({ input_tokens }),
    },
    dependencies,
  );
