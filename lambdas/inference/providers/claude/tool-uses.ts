/**
 * Tool calls of a server of the Messages protocol in the form that the protocol documents: unique ids, and inputs that
 * are objects and arrive once. Some servers repeat in deltas the input that the start of its block has.
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { argumentsText, CallIds, toolInput } from '../../core/upstream/tool-calls.ts';

export class ToolUseNormalizer {
  readonly #ids: CallIds;
  #calls = 0;
  /** The starts with an input, by the index of the block, until it is certain whether deltas repeat the input. */
  readonly #starts = new Map<unknown, JsonObject>();
  /** The indexes of the blocks whose starts have been returned with their input. */
  readonly #whole = new Set<unknown>();

  constructor(responseId: string) {
    this.#ids = new CallIds(responseId);
  }

  /** Returns the next block of the response, with its own id and an object as its input if it calls a tool. */
  block(block: JsonObject): JsonObject {
    const { type, id, input } = block;
    if (type !== 'tool_use') return block;
    this.#calls += 1;
    return {
      ...block,
      ...(typeof id === 'string' ? { id: this.#ids.at(this.#calls - 1, id) } : {}),
      input: isJsonObject(input) ? input : toolInput(argumentsText(input)),
    };
  }

  /** Returns the events in place of one event of a stream. */
  events(event: JsonObject): readonly JsonObject[] {
    const { type, index, content_block: block, delta } = event;
    switch (type) {
      case 'content_block_start':
        return [
          ...this.#releaseAll(),
          ...(isJsonObject(block) ? this.#start({ ...event, content_block: this.block(block) }) : [event]),
        ];
      case 'content_block_delta':
        return isJsonObject(delta) ? this.#change(event, delta) : [event];
      case 'content_block_stop':
        return [...this.#release(index), event];
      case 'message_delta':
        return [...this.#releaseAll(), event];
      default:
        return [event];
    }
  }

  #start(event: { readonly content_block: JsonObject; readonly index?: unknown }): readonly JsonObject[] {
    const { type, input } = event.content_block;
    this.#whole.delete(event.index);
    if (type !== 'tool_use' || Object.keys(input as JsonObject).length === 0) return [event];
    this.#starts.set(event.index, event);
    return [];
  }

  #change(event: JsonObject, delta: JsonObject): readonly JsonObject[] {
    const { type, partial_json: json } = delta;
    if (type !== 'input_json_delta' || json === '' || json == null) return [event];
    const text = argumentsText(json);
    const start = this.#starts.get(event.index);
    // A placeholder does not replace the input of the start.
    if (this.#whole.has(event.index) || (start !== undefined && text === '{}')) return [];
    const change = { ...event, delta: { ...delta, partial_json: text } };
    if (start === undefined) return [change];
    this.#starts.delete(event.index);
    return [{ ...start, content_block: { ...(start.content_block as JsonObject), input: {} } }, change];
  }

  /** Returns the held starts before the next block: one block is open at a time. */
  #releaseAll(): readonly JsonObject[] {
    return [...this.#starts.keys()].flatMap((index) => this.#release(index));
  }

  #release(index: unknown): readonly JsonObject[] {
    const start = this.#starts.get(index);
    if (start === undefined) return [];
    this.#starts.delete(index);
    this.#whole.add(index);
    return [start];
  }
}
