/** The trial of one mutant: the tests that run its line, the likeliest to fail first, until one fails. */
import { areaOf } from './areas.ts';
import type { MutantCandidate } from './candidates.ts';
import type { ControlledTest, Coverage } from './coverage.ts';
import { mutate } from './operators.ts';
import type { Trial, TrialRecord } from './record.ts';
import type { ImportGraph } from './related-tests.ts';
import type { LimitedTest, WorkCopy } from './work-copy.ts';

/** The most that the tests of a mutant take in a ring without it; the first of them are shown to it however long. */
const RING_SECONDS: Readonly<Record<string, number>> = { unit: 60, integration: 90 };
const ALWAYS = 4;
/** Seconds in addition to three times the duration of a test file on the unchanged module. */
const SPARE_SECONDS = 15;
/** The ring that reads the templates synthesizes them before its first file. */
const TEMPLATE_SECONDS = 300;
/** A mutant that runs into the limit is tried once more with this many times the limit: the machine may have been busy. */
const RETRIES = 3;

export interface TrialOptions {
  readonly graph: ImportGraph;
  readonly coverage: Coverage;
  readonly record: TrialRecord;
  readonly spareSeconds?: number;
}

export class Trials {
  readonly #copy: WorkCopy;
  readonly #options: TrialOptions;

  constructor(copy: WorkCopy, options: TrialOptions) {
    this.#copy = copy;
    this.#options = options;
  }

  async runTrial(candidate: MutantCandidate): Promise<Trial> {
    const { path } = candidate;
    const text = this.#copy.read(path);
    this.#copy.write(path, mutate(text, candidate));
    try {
      for (const [ring, tests] of this.#stepsOf(candidate)) {
        const by = await this.#failureIn(ring, tests);
        if (by !== undefined) return { candidate, verdict: 'killed', ring, by };
      }
      return { candidate, verdict: (await this.#copy.compiles()) ? 'survived' : 'refused' };
    } finally {
      this.#copy.write(path, text);
    }
  }

  async #failureIn(ring: string, tests: readonly LimitedTest[]): Promise<string | undefined> {
    let run = await this.#copy.test(ring, tests);
    if (run.outcome === 'ended') {
      const longer = (test: LimitedTest) => ({ ...test, limitSeconds: RETRIES * test.limitSeconds });
      run = await this.#copy.test(ring, tests.slice(run.passed).map(longer));
    }
    return run.outcome === 'passed' ? undefined : (run.failure ?? 'the limit of time');
  }

  #stepsOf({ path, line }: MutantCandidate): (readonly [ring: string, tests: readonly LimitedTest[]])[] {
    const { graph, coverage, spareSeconds = SPARE_SECONDS } = this.#options;
    const running = coverage.testsThatRun(path, line);
    const tests = graph.testsOf(path).flatMap((test) => {
      const controlled = running.has(test) ? coverage.test(test) : undefined;
      return controlled === undefined ? [] : [controlled];
    });
    const steps = Object.entries(RING_SECONDS).map(([ring, seconds]) => {
      const ringTests = tests.filter((test) => test.ring === ring);
      const limited = within(seconds, this.#ordered(path, ringTests)).map((test) => ({
        path: test.path,
        limitSeconds: 3 * test.seconds + spareSeconds,
      }));
      return [ring, limited] as const;
    });
    const template = (areaOf(path)?.tests ?? []).map((test) => ({
      path: test,
      limitSeconds: TEMPLATE_SECONDS,
    }));
    return [...steps, ['template', template] as const].filter(([, some]) => some.length > 0);
  }

  /** Those that have caught mutants of the module, the nearest ones, then the others from the shortest to the longest. */
  #ordered(path: string, tests: readonly ControlledTest[]): ControlledTest[] {
    const killers = this.#options.record.killersOf(path);
    const nearest = new Set(tests.slice(0, ALWAYS));
    const rank = (test: ControlledTest): number => (nearest.has(test) ? 0 : test.seconds);
    return tests.toSorted(
      (a, b) => (killers.get(b.path) ?? 0) - (killers.get(a.path) ?? 0) || rank(a) - rank(b),
    );
  }
}

/** The first ones, and as many more as the time is enough for. */
function within(limitSeconds: number, tests: readonly ControlledTest[]): ControlledTest[] {
  let sum = 0;
  return tests.filter(({ seconds }, index) => {
    sum += seconds;
    return index < ALWAYS || sum <= limitSeconds;
  });
}
