/** `POST /v1/chat/completions`. */
import { chatFormat } from '../../core/inference/completions/chat/format.ts';
import { chatCompletionRequest } from '../../core/inference/completions/chat/schema.ts';
import {
  type CompletionDependencies,
  createCompletionEndpoint,
} from '../../core/inference/completions/completion-endpoint.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createChatCompletion = (dependencies: CompletionDependencies): StreamingEndpoint =>
  createCompletionEndpoint(chatFormat, chatCompletionRequest, dependencies);
