/** Function instances as Lambda runs them: each serves one call at a time, idle ones serve the next, and end after a while. */
import type { Ledger } from '../../../../lambdas/ledger/core/admission.ts';

/** One function instance, with a ledger and a memory of its own. */
export interface Process {
  readonly ledger: Ledger;
  /** Counts the rounds of database requests since the last time it was asked. */
  readonly takeRounds: () => number;
}

/** Lambda keeps an idle instance for minutes; a bench has no minutes. */
const IDLE_MS = 5_000;

export class Processes {
  readonly #start: () => Process;
  readonly #clock: () => number;
  /** The one that was used last is the next to serve. */
  readonly #idle: { readonly process: Process; readonly sinceMs: number }[] = [];
  #running = 0;
  /** The most that there were at once. */
  maxOpen = 0;

  constructor(start: () => Process, clock: () => number) {
    this.#start = start;
    this.#clock = clock;
  }

  take(): Process {
    while ((this.#idle[0]?.sinceMs ?? Number.POSITIVE_INFINITY) < this.#clock() - IDLE_MS) {
      this.#idle.shift();
      this.#running -= 1;
    }
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle.process;
    this.#running += 1;
    this.maxOpen = Math.max(this.maxOpen, this.#running);
    return this.#start();
  }

  giveBack(process: Process): void {
    this.#idle.push({ process, sinceMs: this.#clock() });
  }
}
