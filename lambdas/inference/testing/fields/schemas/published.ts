/** The vendors' published request schemas: the types of the pinned SDKs, as the paths of the requests they send. */
import { join } from 'node:path';
import type { CallerProtocol } from '../../../core/upstream/provider.ts';
import { scopeOf } from './declarations.ts';
import { fieldsOf, type RequestField } from './request-fields.ts';

export const PACKAGES = join(import.meta.dirname, '..', '..', '..', '..', '..', 'node_modules');

const read = (file: string, type: string): readonly RequestField[] =>
  fieldsOf(scopeOf(join(PACKAGES, file)), type);

export const PUBLISHED = {
  openai: () => read('openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'),
  'openai-responses': () => read('openai/resources/responses/responses.d.ts', 'ResponseCreateParamsBase'),
  anthropic: () => [
    ...read('@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageCreateParamsBase'),
    ...read('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'MessageCreateParamsBase'),
  ],
} as const satisfies Readonly<Record<CallerProtocol, () => readonly RequestField[]>>;
