/** The trial of one mutant: the tests that can see it, from the fastest to the slowest, until one fails. */
import { areaOf, SLOW } from './areas.ts';
import { type Mutant, mutate } from './operators.ts';
import type { ImportGraph } from './related-tests.ts';
import type { WorkCopy } from './work-copy.ts';

export interface Candidate extends Mutant {
  readonly path: string;
}

/** `refused`: the compiler does not take it, so it counts neither as caught nor as missed. */
export type Verdict = 'killed' | 'survived' | 'refused';

export interface Trial {
  readonly candidate: Candidate;
  readonly verdict: Verdict;
  /** What caught it: a test, or the limit of time. */
  readonly by?: string;
  readonly ring?: string;
}

interface Step {
  readonly ring: string;
  readonly tests: readonly string[];
}

/** Files of the unit ring in the first step and in the second one: most mutants are caught by the tests of their module. */
const NEAREST = 4;
const NEAR = 12;
/** Files of the integration ring, the nearest ones. */
const INTEGRATION = 6;
/** Beside three times what the tests take on the module as it is. */
const SPARE_SECONDS = 20;
/** No limit of time for a run without a mutant, but that of a hanging process. */
const UNMUTATED_SECONDS = 600;

export class Trials {
  readonly #copy: WorkCopy;
  readonly #graph: ImportGraph;
  readonly #rings: ReadonlyMap<string, ReadonlySet<string>>;
  readonly #spareSeconds: number;
  /** Seconds that a test file takes without a mutant. */
  readonly #unmutated = new Map<string, number>();

  constructor(
    copy: WorkCopy,
    graph: ImportGraph,
    rings: ReadonlyMap<string, ReadonlySet<string>>,
    spareSeconds = SPARE_SECONDS,
  ) {
    this.#copy = copy;
    this.#graph = graph;
    this.#rings = rings;
    this.#spareSeconds = spareSeconds;
  }

  /** Throws when tests fail without a mutant: then they say nothing. */
  async try(candidate: Candidate): Promise<Trial> {
    const { path } = candidate;
    const text = this.#copy.read(path);
    for (const step of this.#stepsOf(path)) {
      const seconds = await this.#control(step);
      this.#copy.write(path, mutate(text, candidate));
      const run = await this.#copy.test(step.ring, step.tests, 3 * seconds + this.#spareSeconds);
      this.#copy.write(path, text);
      if (run.outcome !== 'passed')
        return { candidate, verdict: 'killed', ring: step.ring, by: run.failure ?? 'the limit of time' };
    }
    this.#copy.write(path, mutate(text, candidate));
    const compiles = await this.#copy.compiles();
    this.#copy.write(path, text);
    return { candidate, verdict: compiles ? 'survived' : 'refused' };
  }

  #stepsOf(path: string): Step[] {
    const tests = this.#graph.testsOf(path).filter((test) => !SLOW.test(test));
    const ofRing = (ring: string) => tests.filter((test) => this.#rings.get(ring)?.has(test));
    const unit = ofRing('unit');
    const steps: Step[] = [
      { ring: 'unit', tests: unit.slice(0, NEAREST) },
      { ring: 'unit', tests: unit.slice(NEAREST, NEAREST + NEAR) },
      { ring: 'integration', tests: ofRing('integration').slice(0, INTEGRATION) },
      { ring: 'template', tests: areaOf(path)?.tests ?? [] },
    ];
    return steps.filter((step) => step.tests.length > 0);
  }

  /** Seconds that the tests take without a mutant. */
  async #control({ ring, tests }: Step): Promise<number> {
    const unknown = tests.filter((test) => !this.#unmutated.has(test));
    if (unknown.length > 0) {
      const { outcome, failure, secondsOf } = await this.#copy.test(ring, unknown, UNMUTATED_SECONDS);
      if (outcome !== 'passed') throw new Error(`Without a mutant: ${failure ?? 'the tests do not end'}`);
      for (const [test, seconds] of secondsOf) this.#unmutated.set(test, seconds);
    }
    return tests.reduce((sum, test) => sum + (this.#unmutated.get(test) ?? 0), 0);
  }
}
