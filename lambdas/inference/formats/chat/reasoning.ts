/** Reasoning in a chat message: its text, and its signatures in the form that OpenRouter has for them. */
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { AssistantPart, ReasoningPart } from '../../core/upstream/conversation.ts';

/** The text by itself, and what is signed of it in details. */
export function reasoningFields(parts: readonly AssistantPart[]): JsonObject {
  const thoughts = parts.filter((part) => part.type === 'reasoning');
  const text = thoughts.map((thought) => thought.text).join('');
  const details = parts.flatMap((part, index) => {
    if (part.type !== 'reasoning' || part.signature === undefined) return [];
    const next = parts.slice(index + 1).find(({ type }) => type !== 'reasoning');
    return [reasoningDetail(part, next?.type === 'tool-call' ? next.id : undefined)];
  });
  return {
    ...(text === '' ? {} : { reasoning_content: text }),
    ...(details.length === 0
      ? {}
      : { reasoning_details: details.map((detail, index) => ({ ...detail, index })) }),
  };
}

/** Returns one reasoning detail. `before`: the tool call that follows it (OpenRouter docs, Reasoning tokens). */
export function reasoningDetail(
  { text, signature }: Omit<ReasoningPart, 'type'>,
  before: string | undefined,
): JsonObject {
  const id = before ?? null;
  if (text === '') return { type: 'reasoning.encrypted', data: signature ?? '', id };
  return { type: 'reasoning.text', text, signature: signature ?? null, id };
}
