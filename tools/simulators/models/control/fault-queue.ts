/** The faults that tests have asked for and that have not happened yet. */
import type { Fault, FaultRule } from './fault.ts';

export interface FaultSubject {
  readonly path: string;
  /** The path of the route, with its parameters by name. */
  readonly routePath: string;
  readonly model: string | undefined;
}

function concerns({ match }: FaultRule, subject: FaultSubject): boolean {
  return (
    (match.model === undefined || match.model === subject.model) &&
    (match.path === undefined || match.path === subject.path || match.path === subject.routePath)
  );
}

export class FaultQueue {
  readonly #standing: FaultRule[] = [];
  #counted: { rule: FaultRule; remaining: number }[] = [];
  #cleared = new AbortController();

  add(rule: FaultRule): void {
    if (rule.times === 0) this.#standing.push(rule);
    else this.#counted.push({ rule, remaining: rule.times });
  }

  clear(): void {
    this.#standing.length = 0;
    this.#counted = [];
    this.#cleared.abort();
    this.#cleared = new AbortController();
  }

  /** Aborted when the faults of now are cleared. */
  get cleared(): AbortSignal {
    return this.#cleared.signal;
  }

  /** The number of rules that can still apply. */
  get size(): number {
    return this.#standing.length + this.#counted.length;
  }

  /**
   * The fault for this request: all standing rules that match, in the order given, and over them the oldest matching
   * counted rule, one use of which is spent.
   */
  take(subject: FaultSubject): Fault {
    const standing = this.#standing.filter((rule) => concerns(rule, subject)).map((rule) => rule.fault);
    const counted = this.#counted.find(({ rule }) => concerns(rule, subject));
    if (counted !== undefined) counted.remaining -= 1;
    this.#counted = this.#counted.filter(({ remaining }) => remaining > 0);
    return Object.assign({}, ...standing, counted?.rule.fault);
  }
}
