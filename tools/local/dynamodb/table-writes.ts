/** Notices of writes to tables, from whoever makes or forwards them in this process to whoever follows a table. */

export class TableWrites {
  readonly #listeners = new Map<string, Set<() => void>>();

  /** Calls the listener after each write to the table, until the returned function is called. */
  onWrite(tableName: string, listener: () => void): () => void {
    const listeners = this.#listeners.get(tableName) ?? new Set();
    this.#listeners.set(tableName, listeners.add(listener));
    return () => {
      listeners.delete(listener);
    };
  }

  /** To be called once the engine has answered a write, or may have made one whose answer was lost. */
  written(tableName: string): void {
    for (const listener of this.#listeners.get(tableName) ?? []) listener();
  }
}
