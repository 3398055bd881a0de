/** What a probe has found: flags of a dialect, and what it could not say. */
import type { Dialect } from '../../lambdas/core/inference/catalog/dialect.ts';
import type { JsonObject } from '../../lambdas/core/json/lossless-json.ts';
import type { Answer, Host } from './host.ts';
import type { Said } from './said.ts';

export type Flag = keyof Dialect;

/** Does the host take a request? Where it does not, the same request without what is asked about must be taken. */
export interface Question {
  readonly flag: Flag;
  /** What the flag is where the host refuses. */
  readonly value: Dialect[Flag];
  /** What is asked about. */
  readonly about: string;
  readonly request: JsonObject;
  readonly control: JsonObject;
  /** An answer that shows the flag all the same. */
  readonly shows?: (said: Said) => boolean;
}

/** A question and its answer, for people. */
export interface Asked {
  readonly about: string;
  readonly answer: string;
}

export class Findings {
  readonly #host: Host;
  readonly #controls = new Map<string, Promise<Answer>>();
  readonly #dialect: Record<string, unknown> = {};
  readonly unclear = new Map<Flag, string>();
  readonly asked: Asked[] = [];

  constructor(host: Host) {
    this.#host = host;
  }

  /** The flags that were found. */
  get dialect(): Dialect {
    return this.#dialect as Dialect;
  }

  /** Asks the host and notes the answer. */
  async ask(about: string, request: JsonObject): Promise<Answer> {
    const answer = await this.#host.ask(request);
    const reason = answer.kind === 'taken' ? '' : ` (${answer.reason})`;
    this.asked.push({ about, answer: `${answer.kind}${reason}` });
    return answer;
  }

  /** The answer to a request that several questions have as their control: it is asked once. */
  control(about: string, request: JsonObject): Promise<Answer> {
    const key = JSON.stringify(request);
    const known = this.#controls.get(key) ?? this.ask(about, request);
    this.#controls.set(key, known);
    return known;
  }

  set(flag: Flag, value: Dialect[Flag]): void {
    this.#dialect[flag] = value;
  }

  cannotSay(flags: readonly Flag[], reason: string): void {
    for (const flag of flags) this.unclear.set(flag, reason);
  }

  /** Asks a question. A refusal counts only where the control is taken; a refusal of both says nothing of the flag. */
  async judge({ flag, value, about, request, control, shows }: Question): Promise<void> {
    const answer = await this.ask(about, request);
    if (answer.kind === 'taken') return shows?.(answer.said) ? this.set(flag, value) : undefined;
    if (answer.kind === 'unclear') return this.cannotSay([flag], answer.reason);
    const without = await this.control(`without ${about}`, control);
    if (without.kind === 'taken') return this.set(flag, value);
    this.cannotSay([flag], `refused also without it (${without.reason})`);
  }
}
