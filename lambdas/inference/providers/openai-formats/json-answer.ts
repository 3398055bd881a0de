/**
 * JSON answers of hosts that put them into the reasoning and leave the text empty (`json_answer` of a route's dialect).
 * Only the end of an answer shows that its text stays empty: until then, or until anything else is said, reasoning is
 * held back, so that what a model thinks before it answers does not become part of the JSON.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';

/** Gives the text of the reasoning in a message or a delta. */
type ReasoningOf = (said: JsonObject) => string;

/** Returns whether the output of a call may be in its reasoning. */
export const mayBeReasoning = (
  { dialect }: Pick<CatalogRoute, 'dialect'>,
  { fields }: Pick<ChatPayload, 'fields'>,
): boolean =>
  dialect?.json_answer === 'reasoning' &&
  fields.needs.some((need) => need.kind === 'capability' && need.name === 'json');

/** A whole message, whose text is the reasoning where it says nothing else. */
export function answeredMessage(message: JsonObject, reasoningOf: ReasoningOf): JsonObject {
  const thought = reasoningOf(message);
  return thought === '' || saysMore(message) ? message : { ...withoutReasoning(message), content: thought };
}

const saysMore = ({ content, refusal, tool_calls: calls }: JsonObject): boolean =>
  isText(content) || isText(refusal) || (Array.isArray(calls) && calls.length > 0);

const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';

function withoutReasoning(said: JsonObject): JsonObject {
  const { reasoning_content: _text, reasoning: _other, reasoning_details: _details, ...rest } = said;
  return rest;
}

/** The chunks of one answer. */
export class AnswerChunks {
  readonly #reasoningOf: ReasoningOf;
  /** The reasoning held back, by choice; null once it need not be. */
  readonly #held = new Map<unknown, string | null>();

  constructor(reasoningOf: ReasoningOf) {
    this.#reasoningOf = reasoningOf;
  }

  /** The chunk as far as it can be given now. */
  read(chunk: JsonObject): JsonObject {
    if (!Array.isArray(chunk.choices)) return chunk;
    return {
      ...chunk,
      choices: chunk.choices.map((choice) => (isJsonObject(choice) ? this.#choice(choice) : choice)),
    };
  }

  #choice(choice: JsonObject): JsonObject {
    const { index = 0, delta, finish_reason: reason } = choice;
    const before = this.#held.get(index) ?? '';
    if (this.#held.get(index) === null) return choice;
    const said = isJsonObject(delta) ? delta : {};
    const thought = before + this.#reasoningOf(said);
    const isDecided = saysMore(said);
    this.#held.set(index, isDecided || isText(reason) ? null : thought);
    if (thought === '') return choice;
    const rest = withoutReasoning(said);
    if (isDecided) return { ...choice, delta: { ...rest, reasoning_content: thought } };
    return { ...choice, delta: isText(reason) ? { ...rest, content: thought } : rest };
  }
}
