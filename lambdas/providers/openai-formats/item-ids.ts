/** Ids of the items of one answer: ours in place of the server's, the same wherever an item is meant. */

/** The letters before an id, by the type of its item, as clients know them. */
const PREFIXES: ReadonlyMap<unknown, string> = new Map([
  ['message', 'msg'],
  ['function_call', 'fc'],
  ['custom_tool_call', 'ctc'],
  ['reasoning', 'rs'],
]);

/** A server's own prefix, which it wants to see again on an item of its tools. */
const OWN_PREFIX = /^([a-z]{1,8})_/;

const OTHER = 'item';

export class ItemIds {
  readonly #base: string;
  /** By the place in the output. */
  readonly #ids = new Map<unknown, string>();
  /** By the server's own id, for events that do not say the place. */
  readonly #places = new Map<unknown, unknown>();

  /** `answerId`: `resp_` and what makes it one of its own. */
  constructor(answerId: string) {
    this.#base = answerId.replace(/^[a-z]+[_-]/, '');
  }

  /** The id of the item at a place. */
  ofItem(place: unknown, { type, id }: { readonly type?: unknown; readonly id?: unknown }): string {
    if (typeof id === 'string') this.#places.set(id, place);
    const known = this.#ids.get(place);
    if (known !== undefined) return known;
    const own = typeof id === 'string' ? OWN_PREFIX.exec(id)?.[1] : undefined;
    const made = `${PREFIXES.get(type) ?? own ?? OTHER}_${this.#base}_${place}`;
    this.#ids.set(place, made);
    return made;
  }

  /** The id of the item that an event is of; undefined for one that has not begun. */
  ofEvent({
    output_index: place,
    item_id: id,
  }: {
    readonly output_index?: unknown;
    readonly item_id?: unknown;
  }): string | undefined {
    return this.#ids.get(place ?? this.#places.get(id));
  }
}
