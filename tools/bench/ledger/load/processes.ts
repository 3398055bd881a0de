/** Function instances as Lambda runs them: each serves one call at a time, idle ones serve the next, and end after a while. */
import type { Ledger } from '../../../../lambdas/ledger/core/admission.ts';

/** Lambda keeps an idle instance for minutes; a bench has no minutes. */
const IDLE_MS = 5_000;

export class Processes {
  readonly #start: () => Ledger;
  /** The one that was used last is the next to serve. */
  readonly #idle: { readonly process: Ledger; readonly sinceMs: number }[] = [];
  #running = 0;
  /** The most that there were at once. */
  maxOpen = 0;

  constructor(start: () => Ledger) {
    this.#start = start;
  }

  take(): Ledger {
    while ((this.#idle[0]?.sinceMs ?? Number.POSITIVE_INFINITY) < Date.now() - IDLE_MS) {
      this.#idle.shift();
      this.#running -= 1;
    }
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle.process;
    this.#running += 1;
    this.maxOpen = Math.max(this.maxOpen, this.#running);
    return this.#start();
  }

  giveBack(process: Ledger): void {
    this.#idle.push({ process, sinceMs: Date.now() });
  }
}
