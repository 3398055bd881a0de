/** Things that become due, earliest first. */
export class DueList<T> {
  /** Latest first, so that taking the earliest is a pop. */
  readonly #entries: { readonly dueMs: number; readonly value: T }[] = [];

  add(dueMs: number, value: T): void {
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if ((this.#entries[middle]?.dueMs ?? 0) > dueMs) low = middle + 1;
      else high = middle;
    }
    this.#entries.splice(low, 0, { dueMs, value });
  }

  /** Takes out what is due by then. */
  take(nowMs: number): T[] {
    const dueItems: T[] = [];
    for (
      let last = this.#entries.at(-1);
      last !== undefined && last.dueMs <= nowMs;
      last = this.#entries.at(-1)
    ) {
      dueItems.push(last.value);
      this.#entries.pop();
    }
    return dueItems;
  }

  get nextMs(): number | undefined {
    return this.#entries.at(-1)?.dueMs;
  }
}
