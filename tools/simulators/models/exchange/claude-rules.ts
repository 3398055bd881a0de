/** Rules of the newest Claude models alone, whichever service serves them. */
import type { ModelMessage } from '../model/model.ts';
import { type FieldPath, requireThat } from './request-error.ts';

export interface ClaudeRequest {
  readonly messages: readonly ModelMessage[];
  readonly temperature: number | null | undefined;
  readonly topP: number | null | undefined;
  /** The schema that the answer must satisfy. */
  readonly schema: unknown;
  readonly schemaPath: FieldPath;
}

/** Throws `RequestError` for the first rule that the request breaks. */
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

/**
 * The schema keywords that structured outputs do not support, by type (guide "Structured outputs", "JSON Schema
 * limitations").
 */
const NUMBER = ['exclusiveMaximum', 'exclusiveMinimum', 'maximum', 'minimum', 'multipleOf'];
const UNSUPPORTED: Readonly<Record<string, readonly string[]>> = {
  integer: NUMBER,
  number: NUMBER,
  string: ['maxLength', 'minLength'],
  array: ['maxItems', 'uniqueItems'],
};

/** Keywords whose values are schemas by name, and those that hold one schema or a list. */
const NAMED = ['properties', '$defs', 'definitions'];
const LISTED = ['anyOf', 'allOf', 'items'];

function checkSchema(schema: unknown, path: FieldPath): void {
  if (typeof schema !== 'object' || schema === null) return;
  const node = schema as Readonly<Record<string, unknown>>;
  for (const type of [node.type].flat().map(String)) {
    const isOpen = type === 'object' && node.additionalProperties !== false;
    requireThat(!isOpen, "For 'object' type, 'additionalProperties' must be explicitly set to false", path);
    const unsupportedKeyword = (UNSUPPORTED[type] ?? []).find((keyword) => node[keyword] !== undefined);
    requireThat(
      unsupportedKeyword === undefined,
      `For '${type}' type, property '${unsupportedKeyword}' is not supported`,
      path,
    );
  }
  const named = NAMED.flatMap((keyword) => Object.values(Object(node[keyword])));
  for (const inner of [...named, ...LISTED.flatMap((keyword) => node[keyword])]) checkSchema(inner, path);
}
