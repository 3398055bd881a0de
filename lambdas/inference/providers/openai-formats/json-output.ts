/**
 * JSON responses of vendors that return the JSON as reasoning and leave the text empty (`json_answer` of a route's
 * dialect). Only the end of a response shows that its text stays empty. Reasoning is buffered until then, or until
 * other output arrives. So the model's actual reasoning does not become part of the JSON.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import type { ChatPayload } from '../../core/upstream/provider.ts';
import { indexOf } from './held-end.ts';

/** Gives the text of the reasoning in a message or a delta. */
type ReasoningOf = (output: JsonObject) => string;

/** Returns whether the output of a call may be in its reasoning. */
export const mayBeReasoning = (
  { dialect }: Pick<CatalogRoute, 'dialect'>,
  { fields }: Pick<ChatPayload, 'fields'>,
): boolean =>
  dialect?.json_answer === 'reasoning' &&
  fields.needs.some((need) => need.kind === 'capability' && need.name === 'json');

/** Returns a complete message. Its text is the reasoning if it contains no other output. */
export function withReasoningAsContent(message: JsonObject, reasoningOf: ReasoningOf): JsonObject {
  const thought = reasoningOf(message);
  return thought === '' || hasOtherOutput(message)
    ? message
    : { ...withoutReasoning(message), content: thought };
}

const hasOtherOutput = ({ content, refusal, tool_calls: calls }: JsonObject): boolean =>
  isText(content) || isText(refusal) || (Array.isArray(calls) && calls.length > 0);

const isText = (text: unknown): boolean => typeof text === 'string' && text !== '';

function withoutReasoning(output: JsonObject): JsonObject {
  const { reasoning_content: _text, reasoning: _other, reasoning_details: _details, ...rest } = output;
  return rest;
}

/** The chunks of one answer. */
export class JsonOutputNormalizer {
  readonly #reasoningOf: ReasoningOf;
  /** The reasoning held back, by choice; null once it need not be. */
  readonly #bufferedReasoning = new Map<number, string | null>();

  constructor(reasoningOf: ReasoningOf) {
    this.#reasoningOf = reasoningOf;
  }

  /** Returns the chunk without the reasoning that is still buffered. */
  read(chunk: JsonObject): JsonObject {
    if (!Array.isArray(chunk.choices)) return chunk;
    return {
      ...chunk,
      choices: chunk.choices.map((choice) => (isJsonObject(choice) ? this.#choice(choice) : choice)),
    };
  }

  #choice(choice: JsonObject): JsonObject {
    const { delta, finish_reason: reason } = choice;
    const index = indexOf(choice);
    const before = this.#bufferedReasoning.get(index) ?? '';
    if (this.#bufferedReasoning.get(index) === null) return choice;
    const output = isJsonObject(delta) ? delta : {};
    const thought = before + this.#reasoningOf(output);
    const isDecided = hasOtherOutput(output);
    this.#bufferedReasoning.set(index, isDecided || isText(reason) ? null : thought);
    if (thought === '') return choice;
    const rest = withoutReasoning(output);
    if (isDecided) return { ...choice, delta: { ...rest, reasoning_content: thought } };
    return { ...choice, delta: isText(reason) ? { ...rest, content: thought } : rest };
  }
}
