/**
 * The call and the id of each delta of a streamed tool call. Hosts leave numbers and ids out, use one again, or skip
 * some (`ollama/ollama` 7881, `openai/openai-python` 2806, `vercel/ai` 1bec07d and e6087c9).
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { argumentsText, CallIds } from '../../core/upstream/tool-calls.ts';
import { MAX_ITEMS } from './items.ts';

interface Call {
  readonly index: number;
  /** The id of the host; absent if it has none. */
  id: string | undefined;
  name: string | undefined;
}

/** The calls of one choice. */
export class ToolCallIndexer {
  readonly #calls: Call[] = [];
  /** The latest call of each number that the host uses. */
  readonly #byIndex = new Map<unknown, Call>();
  readonly #ids: CallIds;

  /** `responseId`: the prefix of the ids that this class creates. */
  constructor(responseId: string) {
    this.#ids = new CallIds(responseId);
  }

  get count(): number {
    return this.#calls.length;
  }

  /**
   * Returns the tool call delta with an index from 0 in the order of the calls, and with its arguments as text. Only the
   * delta that contains the name also contains the id. Throws `UpstreamFailure` for too many calls.
   */
  read(toolCallDelta: JsonObject): JsonObject {
    const { index, id: rawId, type, function: called, ...rest } = toolCallDelta;
    const { name: named, arguments: input, ...functionFields } = isJsonObject(called) ? called : {};
    const id = isName(rawId) ? rawId : undefined;
    const name = isName(named) ? named : undefined;
    const existingCall = this.#callOf(index, id, name);
    const call = existingCall ?? { index: this.#calls.length, id, name: undefined };
    if (call.index === MAX_ITEMS) throw new UpstreamFailure('protocol');
    if (existingCall === undefined) this.#calls.push(call);
    if (index !== undefined && index !== null) this.#byIndex.set(index, call);
    const opens = call.name === undefined && name !== undefined;
    call.name ??= name;
    call.id ??= id;
    return {
      index: call.index,
      ...(opens ? { id: this.#ids.at(call.index, call.id), type: isName(type) ? type : 'function' } : {}),
      ...(called === undefined
        ? {}
        : {
            function: isJsonObject(called)
              ? { ...(opens ? { name } : {}), ...argumentsField(input), ...functionFields }
              : called,
          }),
      ...rest,
    };
  }

  /** Returns the call that a delta continues. Undefined if it starts one. */
  #callOf(index: unknown, id: string | undefined, name: string | undefined): Call | undefined {
    if (index === undefined || index === null) {
      const last = this.#calls.at(-1);
      const isNamed = (call: Call) => name === undefined || call.name === undefined || call.name === name;
      if (id !== undefined) return this.#calls.findLast((call) => call.id === id && isNamed(call));
      return name === undefined ? last : undefined;
    }
    const latestCall = this.#byIndex.get(index);
    if (latestCall === undefined || name === undefined || latestCall.name === undefined) return latestCall;
    const isOther = id === undefined ? name !== latestCall.name : id !== latestCall.id;
    return isOther ? undefined : latestCall;
  }
}

const isName = (value: unknown): value is string => typeof value === 'string' && value !== '';

const argumentsField = (input: unknown): JsonObject =>
  input === undefined || input === null ? {} : { arguments: input === '' ? '' : argumentsText(input) };

/** Complete arguments that have nothing in them. */
const PLACEHOLDER = /^\{\}\s*$/;

/**
 * The arguments of the calls of one choice, whose vendor may send `{}` before the real ones (`vercel/ai` 13137). Such a
 * value is buffered until it is clear whether it is a placeholder. A placeholder is dropped. A complete value is
 * returned at the end, and so is `{}` for a call without arguments if a caller of the protocol reads it.
 */
export class PlaceholderArguments {
  readonly #bufferedArguments = new Map<unknown, string>();
  /** The calls of which arguments have been given. */
  readonly #sentIndexes = new Set<unknown>();
  readonly #completes: boolean;

  constructor(completes: boolean) {
    this.#completes = completes;
  }

  /** Returns the delta without the arguments that are still buffered. */
  read(toolCallDelta: JsonObject): JsonObject {
    const { index, function: called } = toolCallDelta;
    if (!isJsonObject(called) || this.#sentIndexes.has(index)) return toolCallDelta;
    const { arguments: text, name } = called;
    if (typeof text !== 'string' || text === '') {
      if (name !== undefined && this.#completes)
        this.#bufferedArguments.set(index, this.#bufferedArguments.get(index) ?? '');
      return toolCallDelta;
    }
    const bufferedText = `${this.#bufferedArguments.get(index) ?? ''}${text}`;
    if (PLACEHOLDER.test(bufferedText)) {
      this.#bufferedArguments.set(index, bufferedText);
      return { ...toolCallDelta, function: { ...called, arguments: '' } };
    }
    this.#bufferedArguments.delete(index);
    this.#sentIndexes.add(index);
    return toolCallDelta;
  }

  /** Returns deltas with the placeholders that are the complete arguments of their calls, at the end of the choice. */
  end(): readonly JsonObject[] {
    const deltas = [...this.#bufferedArguments].map(([index, text]) => ({
      index,
      function: { arguments: argumentsText(text) },
    }));
    for (const index of this.#bufferedArguments.keys()) this.#sentIndexes.add(index);
    this.#bufferedArguments.clear();
    return deltas;
  }
}
