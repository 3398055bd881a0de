/** Rules of Claude models, whichever service serves them. */
import type { ModelMessage } from '../model/model.ts';
import { type FieldPath, requireThat } from './request-error.ts';
import { schemasIn } from './schemas.ts';

interface ClaudeRequest {
  readonly messages: readonly ModelMessage[];
  readonly temperature: number | null | undefined;
  readonly topP: number | null | undefined;
  readonly schema: unknown;
  readonly schemaPath: FieldPath;
}

/** The rules of the newest models alone. Throws `RequestError`. */
export function checkForClaude({ messages, temperature, topP, schema, schemaPath }: ClaudeRequest): void {
  const isDouble = temperature != null && topP != null;
  requireThat(!isDouble, '`temperature` and `top_p` cannot both be specified for this model.');
  checkText(messages);
  checkSchema(schema, schemaPath);
}

/** An answer that the request begins does not end in a space, and no tool's result is blank. Throws `RequestError`. */
export function checkText(messages: readonly ModelMessage[]): void {
  const last = messages.at(-1);
  const isTrailing = last?.role === 'assistant' && /\s$/u.test(last.text);
  requireThat(!isTrailing, 'final assistant content cannot end with trailing whitespace', ['messages']);
  const isBlank = messages.some(({ role, text }) => role === 'tool' && text !== '' && text.trim() === '');
  requireThat(!isBlank, 'text content blocks must be non-empty', ['messages']);
}

const NUMBER = ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'];
/** The keywords that structured outputs do not support (guide "Structured outputs", "JSON Schema limitations"). */
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  integer: NUMBER,
  number: NUMBER,
  string: ['maxLength', 'minLength'],
  array: ['maxItems', 'uniqueItems'],
};

function checkSchema(schema: unknown, path: FieldPath): void {
  for (const { node } of schemasIn(schema))
    for (const type of [node.type].flat().map(String)) {
      const isOpen = type === 'object' && node.additionalProperties !== false;
      requireThat(!isOpen, "For 'object' type, 'additionalProperties' must be explicitly set to false", path);
      const keyword = UNSUPPORTED[type]?.find((name) => node[name] !== undefined);
      requireThat(keyword === undefined, `For '${type}' type, property '${keyword}' is not supported`, path);
    }
}

interface ThinkingRequest {
  /** Undefined if the model chooses its budget itself. */
  readonly budget: number | undefined;
  readonly maxTokens: number | null | undefined;
  readonly temperature: number | null | undefined;
  readonly isForced: boolean;
}

/** The parameters of a request that thinks (guide "Extended thinking"). Throws `RequestError`. */
export function checkThinking({ budget, maxTokens, temperature, isForced }: ThinkingRequest): void {
  const fits = budget === undefined || maxTokens == null || maxTokens > budget;
  requireThat(fits, '`max_tokens` must be greater than `thinking.budget_tokens`.');
  const isWarm = temperature == null || temperature === 1;
  requireThat(isWarm, '`temperature` may only be set to 1 when thinking is enabled.');
  requireThat(!isForced, 'Thinking may not be enabled when tool_choice forces tool use.');
}

/** With a budget, the last turn that called tools must still begin with its thought. Throws `RequestError`. */
export function checkLastTurn(kinds: readonly string[], path: FieldPath): void {
  const [first = ''] = kinds;
  const isBare = !['thinking', 'redacted_thinking', 'reasoningContent'].includes(first);
  requireThat(
    !isBare || !kinds.some((kind) => kind === 'tool_use' || kind === 'toolUse'),
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${first}\`. When \`thinking\` is enabled, ` +
      'a final `assistant` message must start with a thinking block',
    path,
  );
}

const INVALID = { signature: 'thinking', data: 'redacted_thinking' };

/** The proof of a thought is one that this model gave. Throws `RequestError`. */
export const requireProof = (isOwn: boolean, proof: keyof typeof INVALID, path: FieldPath): void =>
  requireThat(isOwn, `Invalid \`${proof}\` in \`${INVALID[proof]}\` block`, path);
