/**
 * Which call each piece of a streamed tool call is of, and under which id: hosts leave numbers and ids out, use one
 * again, or skip some (`ollama/ollama` 7881, `openai/openai-python` 2806, `vercel/ai` 1bec07d and e6087c9).
 */
import { isJsonObject, type JsonObject } from '../../core/json/lossless-json.ts';

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
  /** By the host's own number, the latest that has it. */
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
