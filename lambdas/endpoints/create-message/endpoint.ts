/** `POST /v1/messages`. */
import {
  type CompletionDependencies,
  createCompletionEndpoint,
} from '../../core/inference/completions/completion-endpoint.ts';
import { messagesFormat } from '../../core/inference/completions/messages/format.ts';
import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createMessage = (dependencies: CompletionDependencies): StreamingEndpoint =>
  createCompletionEndpoint(messagesFormat, messagesRequest, dependencies);
