/** The answers that a provider keeps for later requests, unless a request asks it not to. */

export interface SimulatedStoredResponse {
  readonly id: string;
  /** The input and output of the response, as items that a later request may continue. */
  readonly items: readonly unknown[];
}

/** Enough for any test; the oldest are forgotten first. */
const MAX_RESPONSES = 1000;

const idOf = (item: unknown): unknown => Object(item).id;

export class StoredResponses {
  readonly #responses = new Map<string, readonly unknown[]>();
  #count = 0;

  /** The number of responses stored since the start. */
  get count(): number {
    return this.#count;
  }

  keep({ id, items }: SimulatedStoredResponse): void {
    this.#count += 1;
    this.#responses.set(id, items);
    const [oldest] = this.#responses.keys();
    if (this.#responses.size > MAX_RESPONSES && oldest !== undefined) this.#responses.delete(oldest);
  }

  /** Everything said up to and with a response; undefined when it is not kept. */
  itemsOf(responseId: string): readonly unknown[] | undefined {
    return this.#responses.get(responseId);
  }

  /** A kept item by its id. */
  item(id: string): unknown {
    for (const items of this.#responses.values()) {
      const storedItem = items.find((item) => idOf(item) === id);
      if (storedItem !== undefined) return storedItem;
    }
    return undefined;
  }
}
