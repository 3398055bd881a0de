/**
 * The trials so far, one line of JSON each, written at the end of each trial. A run that was stopped can be continued.
 */
import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import type { MutantCandidate } from './candidates.ts';

/** `refused`: the compiler does not take it, so it counts neither as caught nor as missed. */
export type Verdict = 'killed' | 'survived' | 'refused';

export interface Trial {
  readonly candidate: MutantCandidate;
  readonly verdict: Verdict;
  /** The test or the time limit that caught the mutant. */
  readonly by?: string;
  readonly ring?: string;
}

/** A trial as it is kept. */
export interface StoredTrial extends Omit<Trial, 'candidate'> {
  readonly id: string;
  readonly path: string;
  readonly line: number;
  /** Such as `constant: 0 -> 1`, long ones cut off. */
  readonly mistake: string;
}

/** Returns the lines of a file, each of which is JSON; none if the file is not there. */
export const readLines = <T>(file: string): T[] =>
  (existsSync(file) ? readFileSync(file, 'utf8').split('\n') : [])
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);

export class TrialRecord {
  readonly #file: string;
  readonly #trials = new Map<string, StoredTrial[]>();

  /** Begins with what the file holds, if it is there. */
  constructor(file: string) {
    this.#file = file;
    for (const stored of readLines<StoredTrial>(file)) this.#note(stored);
  }

  keep(trial: Trial): StoredTrial {
    const stored = storedTrialOf(trial);
    appendFileSync(this.#file, `${JSON.stringify(stored)}\n`);
    this.#note(stored);
    return stored;
  }

  /** The first trial of a mutant: the one before there were tests that were written for it. */
  firstOf(id: string): StoredTrial | undefined {
    return this.#trials.get(id)?.at(0);
  }

  lastOf(id: string): StoredTrial | undefined {
    return this.#trials.get(id)?.at(-1);
  }

  /** Returns the number of mutants of the module that each test file has caught. */
  killersOf(path: string): ReadonlyMap<string, number> {
    const killers = new Map<string, number>();
    for (const { by, ...kept } of [...this.#trials.values()].flat()) {
      const [test] = /^[^ :]+\.test\.ts/.exec(by ?? '') ?? [];
      if (kept.path === path && test !== undefined) killers.set(test, (killers.get(test) ?? 0) + 1);
    }
    return killers;
  }

  #note(stored: StoredTrial): void {
    this.#trials.set(stored.id, [...(this.#trials.get(stored.id) ?? []), stored]);
  }
}

const shown = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);

function storedTrialOf({ candidate, verdict, by, ring }: Trial): StoredTrial {
  const { id, path, line, operator, original, replacement } = candidate;
  const mistake = `${operator}: ${shown(original)} -> ${shown(replacement)}`;
  const caught = { ...(by === undefined ? {} : { by: shown(by) }), ...(ring === undefined ? {} : { ring }) };
  return { id, path, line, mistake, verdict, ...caught };
}

/** A trial in a line of text. */
export const lineOf = ({ path, line, mistake, verdict, by }: StoredTrial): string =>
  `${verdict.toUpperCase()} ${path}:${line} ${mistake}${by === undefined ? '' : ` [${by}]`}`;
