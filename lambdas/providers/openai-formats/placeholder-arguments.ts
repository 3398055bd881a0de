/**
 * The arguments of streamed tool calls whose host sends `{}` before the real ones (`vercel/ai` 13137): `{}` is held back
 * until it is known whether it is a placeholder, which is dropped, or all that there is, which is given at the end.
 */
import { isJsonObject, type JsonObject } from '../../core/json/lossless-json.ts';

/** What is held back: complete arguments that have nothing in them. */
const PLACEHOLDER = /^\{\}\s*$/;

/** The calls of one choice, by the numbers of their pieces. */
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

  /** What was all that there is, at the end of the choice, in pieces of the calls. */
  end(): readonly JsonObject[] {
    const pieces = [...this.#held].map(([index, text]) => ({ index, function: { arguments: text } }));
    for (const index of this.#held.keys()) this.#given.add(index);
    this.#held.clear();
    return pieces;
  }
}
