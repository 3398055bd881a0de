/**
 * The call and the id of each delta of a streamed tool call. Hosts leave numbers and ids out, use one again, or skip
 * some (`ollama/ollama` 7881, `openai/openai-python` 2806, `vercel/ai` 1bec07d and e6087c9).
 */
import { isJsonObject, type JsonObject } from '../../../platform/core/json/lossless-json.ts';

interface Call {
  readonly number: number;
  /** As the host has it; absent where it has none. */
  id: string | undefined;
  name: string | undefined;
}

/** The calls of one choice. */
export class CallNumbers {
  readonly #answerId: string;
  readonly #calls: Call[] = [];
  /** The latest call of each number that the host uses. */
  readonly #byIndex = new Map<unknown, Call>();
  readonly #ids = new Set<string>();

  /** `answerId`: what ids begin with that are made here. */
  constructor(answerId: string) {
    this.#answerId = answerId;
  }

  get count(): number {
    return this.#calls.length;
  }

  /** The piece numbered from 0 in the order of the calls; the one that names the call has its id, and no other has one. */
  read(piece: JsonObject): JsonObject {
    const { index, id: given, type, function: called, ...rest } = piece;
    const { name: named, ...said } = isJsonObject(called) ? called : {};
    const id = typeof given === 'string' && given !== '' ? given : undefined;
    const name = typeof named === 'string' && named !== '' ? named : undefined;
    const known = this.#find(index, id, name);
    const call = known ?? { number: this.#calls.length, id, name: undefined };
    if (known === undefined) this.#calls.push(call);
    if (index !== undefined && index !== null) this.#byIndex.set(index, call);
    const opens = call.name === undefined && name !== undefined;
    call.name ??= name;
    call.id ??= id;
    return {
      index: call.number,
      ...(opens ? { id: this.#idOf(call), type: type ?? 'function' } : {}),
      ...(called === undefined
        ? {}
        : { function: isJsonObject(called) ? { ...(opens ? { name } : {}), ...said } : called }),
      ...rest,
    };
  }

  /** The call that a piece goes on with; undefined where it begins one. */
  #find(index: unknown, id: string | undefined, name: string | undefined): Call | undefined {
    if (index === undefined || index === null) {
      const last = this.#calls.at(-1);
      if (id !== undefined) return this.#calls.find((call) => call.id === id);
      return name === undefined ? last : undefined;
    }
    const known = this.#byIndex.get(index);
    if (known === undefined || name === undefined || known.name === undefined) return known;
    const isOther = id === undefined ? name !== known.name : id !== known.id;
    return isOther ? undefined : known;
  }

  /** The host's own id; one of ours where it has none, or has given it to another call. */
  #idOf({ id, number }: Call): string {
    const own = id === undefined || this.#ids.has(id) ? `${this.#answerId}_${number}` : id;
    this.#ids.add(own);
    return own;
  }
}

/** Complete arguments that have nothing in them. */
const PLACEHOLDER = /^\{\}\s*$/;

/**
 * The arguments of the calls of one choice, whose host may send `{}` before the real ones (`vercel/ai` 13137): it is held
 * back until it is known whether it is a placeholder, which is dropped, or all that there is, which is given at the end.
 */
export class PlaceholderArguments {
  readonly #held = new Map<unknown, string>();
  /** The calls of which arguments have been given. */
  readonly #given = new Set<unknown>();

  /** The piece as far as it can be given now. */
  read(piece: JsonObject): JsonObject {
    const { index, function: called } = piece;
    if (!isJsonObject(called) || this.#given.has(index)) return piece;
    const { arguments: text } = called;
    if (typeof text !== 'string' || text === '') return piece;
    const held = `${this.#held.get(index) ?? ''}${text}`;
    if (PLACEHOLDER.test(held)) {
      this.#held.set(index, held);
      return { ...piece, function: { ...called, arguments: '' } };
    }
    this.#held.delete(index);
    this.#given.add(index);
    return piece;
  }

  /** Returns deltas with the placeholders that are the complete arguments of their calls, at the end of the choice. */
  end(): readonly JsonObject[] {
    const pieces = [...this.#held].map(([index, text]) => ({ index, function: { arguments: text } }));
    for (const index of this.#held.keys()) this.#given.add(index);
    this.#held.clear();
    return pieces;
  }
}
