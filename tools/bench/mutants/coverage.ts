/**
 * The lines that each test file runs and the duration of each, on the unchanged code. They are stored in a file. A test
 * runs again only if it or a module that it imports has changed.
 */
import { appendFileSync, rmSync } from 'node:fs';
import type { CoveredTest } from './coverage-reporter.ts';
import { readLines } from './record.ts';
import type { ImportGraph } from './related-tests.ts';
import type { WorkCopy } from './work-copy.ts';

interface StoredTest extends CoveredTest {
  readonly digest: string;
}

/** A test file that passes without a mutant. */
export interface ControlledTest {
  readonly path: string;
  readonly ring: string;
  readonly seconds: number;
}

export class Coverage {
  readonly #ringOf: ReadonlyMap<string, string>;
  readonly #tests = new Map<string, CoveredTest>();

  /** `ringOf` are the tests that count, each with its ring. */
  constructor(ringOf: ReadonlyMap<string, string>) {
    this.#ringOf = ringOf;
  }

  add(test: CoveredTest): void {
    this.#tests.set(test.path, test);
  }

  /** Undefined for one that fails on the code as it is, or that has not been run: it says nothing about a mutant. */
  test(path: string): ControlledTest | undefined {
    const [test, ring] = [this.#tests.get(path), this.#ringOf.get(path)];
    return test?.passed === true && ring !== undefined ? { path, ring, seconds: test.seconds } : undefined;
  }

  /**
   * The tests that run the line. One that no test runs, or whose text does not run by itself, such as a bracket, stands
   * for the nearest line above it that a test runs.
   */
  testsThatRun(path: string, line: number): ReadonlySet<string> {
    for (let at = line; at > 0; at -= 1) {
      const tests = [...this.#tests.values()].filter(({ lines }) => lines[path]?.includes(at) === true);
      if (tests.length > 0) return new Set(tests.map((test) => test.path));
    }
    return new Set();
  }
}

/** Runs what the file does not have yet; `modules` are those whose lines are looked at. */
export async function measureCoverage(
  copy: WorkCopy,
  graph: ImportGraph,
  ringOf: ReadonlyMap<string, string>,
  { file, modules, workers }: { file: string; modules: readonly string[]; workers: number },
): Promise<Coverage> {
  const digests = new Map([...ringOf.keys()].map((path) => [path, graph.digestOf(path)]));
  const coverage = new Coverage(ringOf);
  const missing = new Set(ringOf.keys());
  for (const test of readLines<StoredTest>(file)) {
    if (digests.get(test.path) !== test.digest) continue;
    coverage.add(test);
    missing.delete(test.path);
  }
  for (const ring of new Set(ringOf.values())) {
    const paths = [...missing].filter((path) => ringOf.get(path) === ring);
    if (paths.length === 0) continue;
    console.log(`${paths.length} test files of the ${ring} ring without a mutant`);
    const written = await copy.cover(ring, paths, modules, workers);
    for (const test of readLines<CoveredTest>(written).map((one) => copy.fromRoot(one))) {
      if (!test.passed) console.log(`Left out, since it fails without a mutant: ${test.path}`);
      else appendFileSync(file, `${JSON.stringify({ ...test, digest: digests.get(test.path) ?? '' })}\n`);
      coverage.add(test);
    }
    rmSync(written, { force: true });
  }
  return coverage;
}
