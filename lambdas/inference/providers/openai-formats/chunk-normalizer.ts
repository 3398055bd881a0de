/**
 * Normalizes messages and chunks of vendors that differ from the protocol. Fields that the protocol does not define
 * stay.
 */

import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { chatFinishReason, finishOf } from '../ends.ts';
import { objectOf } from '../http-upstream.ts';
import { hasOutput, indexOf } from './held-end.ts';
import { PlaceholderArguments, ToolCallIndexer } from './tool-call-indexer.ts';

/** A message or delta whose content is one text (Mistral docs, Reasoning: a list of texts and thoughts). */
export function plainContent(message: JsonObject): JsonObject {
  const { content } = message;
  if (!Array.isArray(content)) return message;
  const texts: string[] = [];
  const thoughts: string[] = [];
  for (const part of content) {
    const { type, text, thinking } = isJsonObject(part) ? part : {};
    if (type === 'text' && typeof text === 'string') texts.push(text);
    else if (type === 'thinking') thoughts.push(thoughtOf(thinking));
    else return message;
  }
  const thought = thoughts.join('');
  const { content: _parts, ...rest } = message;
  return { ...rest, content: texts.join(''), ...(thought === '' ? {} : { reasoning_content: thought }) };
}

const thoughtOf = (thinking: unknown): string => {
  if (typeof thinking === 'string') return thinking;
  if (!Array.isArray(thinking)) return '';
  return thinking
    .map((part) => (isJsonObject(part) && typeof part.text === 'string' ? part.text : ''))
    .join('');
};

/** Returns the same list if no item changes. Almost no chunk needs a change, and a copy of each costs more than its check. */
export function mapChanged<Item>(items: readonly Item[], change: (item: Item) => Item): readonly Item[] {
  const changedItems = items.map(change);
  return changedItems.every((item, index) => item === items[index]) ? items : changedItems;
}

/** The received state of a choice. */
interface ChoiceState {
  readonly calls: ToolCallIndexer;
  readonly placeholders: PlaceholderArguments;
  /** The older form of a call has arrived. */
  hasFunctionCall: boolean;
  hasRole: boolean;
  finished: boolean;
  /** The last finish reason. Output may follow it. */
  reason?: unknown;
}

/** The chunks of one answer. */
export class ChunkNormalizer {
  readonly #responseId: string;
  readonly #native: boolean;
  readonly #choices = new Map<number, ChoiceState>();

  /** `native`: the chunks go to a caller of the protocol. */
  constructor(responseId: string, native: boolean) {
    this.#responseId = responseId;
    this.#native = native;
  }

  /**
   * Returns the chunk with plain texts, and with indexes and names for its tool calls. Throws `UpstreamFailure` for a
   * failed response, and for a tool call that is no object.
   */
  read(chunk: JsonObject): JsonObject {
    if (!Array.isArray(chunk.choices)) return chunk;
    const choices = mapChanged<unknown>(chunk.choices, (choice) =>
      isJsonObject(choice) ? this.#choice(choice) : choice,
    );
    return choices === chunk.choices ? chunk : { ...chunk, choices };
  }

  #choice(choice: JsonObject): JsonObject {
    const { delta, finish_reason: reason } = choice;
    const state = this.#at(indexOf(choice));
    const isEnd = finishOf(reason, false).raw !== '';
    if (isEnd) state.reason = reason;
    state.finished = isEnd || (state.finished && !hasOutput(choice));
    const plainDelta = isJsonObject(delta) ? withRole(plainContent(delta), state) : {};
    const { tool_calls: rawCalls, function_call: called } = plainDelta;
    if (isJsonObject(called)) state.hasFunctionCall = true;
    const calls = Array.isArray(rawCalls)
      ? rawCalls.map((toolCallDelta) => normalizeToolCallDelta(toolCallDelta, state))
      : [];
    if (calls.length > 0) return { ...choice, delta: { ...plainDelta, tool_calls: calls } };
    return plainDelta === delta || !isJsonObject(delta) ? choice : { ...choice, delta: plainDelta };
  }

  #at(index: number): ChoiceState {
    const existingState = this.#choices.get(index);
    if (existingState !== undefined) return existingState;
    const state = {
      calls: new ToolCallIndexer(this.#responseId),
      placeholders: new PlaceholderArguments(this.#native),
      hasFunctionCall: false,
      hasRole: false,
      finished: false,
    };
    this.#choices.set(index, state);
    return state;
  }

  /** True if every choice that has started has ended. */
  get isFinished(): boolean {
    return this.#choices.size > 0 && [...this.#choices.values()].every(({ finished }) => finished);
  }

  hasCalls(index: number): boolean {
    const state = this.#choices.get(index);
    return state !== undefined && (state.calls.count > 0 || state.hasFunctionCall);
  }

  /** Returns the buffered arguments of these choices, or of all, which have ended. */
  bufferedCalls(indexes: Iterable<number> = this.#choices.keys()): readonly JsonObject[] {
    return [...indexes].flatMap((index) => {
      const calls = this.#choices.get(index)?.placeholders.end() ?? [];
      return calls.length === 0 ? [] : [{ index, delta: { tool_calls: calls }, finish_reason: null }];
    });
  }

  /**
   * Returns the end of the choices that the host has left without one. Without an end marker of the host either, nothing
   * says that they are complete.
   */
  ends(hasMarker: boolean): readonly JsonObject[] {
    return [...this.#choices].flatMap(([index, { finished, reason }]) => {
      if (finished) return [];
      const named = reason ?? chatFinishReason('stop', this.hasCalls(index));
      return [{ index, delta: {}, finish_reason: hasMarker ? named : 'length' }];
    });
  }
}

/** Returns the first delta of a choice with a role: the protocol demands one, and some servers leave it out. */
function withRole(delta: JsonObject, state: ChoiceState): JsonObject {
  if (state.hasRole) return delta;
  state.hasRole = true;
  return delta.role == null ? { ...delta, role: 'assistant' } : delta;
}

const normalizeToolCallDelta = (toolCallDelta: unknown, { calls, placeholders }: ChoiceState): JsonObject =>
  placeholders.read(calls.read(objectOf(toolCallDelta)));

/** Returns the choice with a finish reason that callers support. The vendor's reason is returned next to it. */
export function withFinishName(choice: JsonObject, hasCalls: boolean): JsonObject {
  const { finish_reason: reason } = choice;
  if (typeof reason !== 'string' || reason === '') return choice;
  const name = chatFinishReason(reason, hasCalls);
  return name === reason ? choice : { ...choice, finish_reason: name, native_finish_reason: reason };
}
