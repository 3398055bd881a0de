/** The faults that tests have asked for and that have not happened yet. */
import type { Fault, FaultRule } from './fault.ts';

interface FaultSubject {
  readonly path: string;
  /** The path of the route, with its parameters by name. */
  readonly routePath: string;
  readonly model: string | undefined;
}

const concerns = ({ match }: FaultRule, { path, routePath, model }: FaultSubject): boolean =>
  [undefined, model].includes(match.model) && [undefined, path, routePath].includes(match.path);

export class FaultQueue {
  #rules: FaultRule[] = [];
  #cleared = new AbortController();

  add(rule: FaultRule): void {
    this.#rules.push({ ...rule });
  }

  clear(): void {
    this.#rules = [];
    this.#cleared.abort();
    this.#cleared = new AbortController();
  }

  /** Aborted when the faults of now are cleared. */
  get cleared(): AbortSignal {
    return this.#cleared.signal;
  }

  get size(): number {
    return this.#rules.length;
  }

  /**
   * The fault for this request: all standing rules that match, in the order given, and over them the oldest matching
   * counted rule, one use of which is spent.
   */
  take(subject: FaultSubject): Fault {
    const matching = this.#rules.filter((rule) => concerns(rule, subject));
    const standing = matching.filter(({ times }) => times === 0);
    const counted = matching.find(({ times }) => times > 0);
    if (counted?.times === 1) this.#rules = this.#rules.filter((rule) => rule !== counted);
    else if (counted !== undefined) counted.times -= 1;
    return Object.assign({}, ...standing.map(({ fault }) => fault), counted?.fault);
  }
}
