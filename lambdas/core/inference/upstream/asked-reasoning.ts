/**
 * What a chat request asks of the model's reasoning, under the names that hosts of the protocol have for it:
 * `reasoning_effort` (OpenAI API reference), `reasoning` (OpenRouter docs, Reasoning tokens) and `thinking` (DeepSeek
 * API docs, Thinking mode; Claude API docs, OpenAI SDK compatibility).
 */
import { isJsonObject } from '../../json/lossless-json.ts';
import { effortOf, type ReasoningRequest } from './conversation.ts';

export interface ReasoningFields {
  readonly reasoning_effort?: unknown;
  readonly reasoning?: unknown;
  readonly thinking?: unknown;
}

/** Undefined where nothing is asked, and for an effort that nobody knows. */
export function askedReasoning(fields: ReasoningFields): ReasoningRequest | undefined {
  const { effort: named, enabled, max_tokens: most } = objectOf(fields.reasoning);
  const { type, budget_tokens: budget } = objectOf(fields.thinking);
  const switched = type === 'disabled' || enabled === false ? 'none' : undefined;
  const isOn = type === 'enabled' || enabled === true;
  const effort = switched ?? effortOf(fields.reasoning_effort ?? named) ?? (isOn ? 'medium' : undefined);
  const maxTokens = most ?? budget;
  if (effort === undefined && typeof maxTokens !== 'number') return undefined;
  return {
    ...(effort === undefined ? {} : { effort }),
    ...(typeof maxTokens === 'number' ? { maxTokens } : {}),
  };
}

const objectOf = (value: unknown) => (isJsonObject(value) ? value : {});
