/** The vendors' published request schemas: the types of the pinned SDKs, as the paths of the requests they send. */
import { join } from 'node:path';
import { scopeOf } from './declarations.ts';
import { fieldsOf, type RequestField } from './request-fields.ts';

export const PACKAGES = join(import.meta.dirname, '..', '..', '..', '..', '..', 'node_modules');

const read = (file: string, type: string): readonly RequestField[] =>
  fieldsOf(scopeOf(join(PACKAGES, file)), type);

/** The beta API declares every type again, most of them under the same name with a prefix. */
const withoutPrefix = (field: RequestField): RequestField => ({
  ...field,
  owner: field.owner.replaceAll(/\bBeta(?=[A-Z])/g, ''),
});

/** Fields of the SDK's configuration that a REST request has at its root; the others are in `generationConfig`. */
const AT_ROOT = new Set([
  ...['systemInstruction', 'safetySettings', 'tools', 'toolConfig', 'labels', 'cachedContent', 'store'],
  ...['serviceTier', 'continuationToken', 'modelArmorConfig'],
]);

/** Gemini's SDK puts contents together from parts, and the configuration apart (`generateContentConfigToMldev`). */
function asRest({ path, ...field }: RequestField): RequestField {
  const [first = '', name = '', ...rest] = path.split('.');
  const plain = name.replace('[]', '');
  const place =
    first === 'config' && name !== '' ? [AT_ROOT.has(plain) ? '' : 'generationConfig', name] : [first, name];
  const steps = [...place, ...rest].filter((step) => step !== '');
  const of = steps[0]?.replace('[]', '');
  if (of === 'systemInstruction') steps[0] = of;
  const isPart = (of === 'contents' || of === 'systemInstruction') && steps.length > 1;
  if (isPart && !/^(parts(\[\])?|role)$/.test(steps[1] ?? '')) steps.splice(1, 0, 'parts');
  return { ...field, path: steps.join('.') };
}

export const PUBLISHED = {
  'openai-chat': () =>
    read('openai/resources/chat/completions/completions.d.ts', 'ChatCompletionCreateParamsBase'),
  'openai-responses': () => read('openai/resources/responses/responses.d.ts', 'ResponseCreateParamsBase'),
  'anthropic-messages': () => [
    ...read('@anthropic-ai/sdk/resources/messages/messages.d.ts', 'MessageCreateParamsBase'),
    ...read('@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', 'MessageCreateParamsBase').map(
      withoutPrefix,
    ),
  ],
  'bedrock-converse': () =>
    read('@aws-sdk/client-bedrock-runtime/dist-types/models/models_0.d.ts', 'ConverseRequest'),
  gemini: () => read('@google/genai/dist/genai.d.ts', 'GenerateContentParameters').map(asRest),
} as const satisfies Readonly<Record<string, () => readonly RequestField[]>>;

export type Protocol = keyof typeof PUBLISHED;
