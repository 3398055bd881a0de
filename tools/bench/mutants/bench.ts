/**
 * `npm run bench -- mutants [PATH...] [--seed N] [--count N] [--minutes N] [--workers N] [--continue FILE] [--again]`:
 * small mistakes, one at a time, in the code that must not have any, and whether a test notices. Each is made in a copy
 * of the repository and shown to the tests that run its line: of the unit ring, then of the integration ring. Caught is a
 * mutant with which a test fails or takes too long; one that survives and that the compiler refuses does not count.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { BenchMetric } from '../harness/report.ts';
import { AREAS, SLOW } from './areas.ts';
import { areaName, candidatesIn, type MutantCandidate } from './candidates.ts';
import { type Coverage, measureCoverage } from './coverage.ts';
import { acceptanceOf } from './known.ts';
import { lineOf, type StoredTrial, TrialRecord, type Verdict } from './record.ts';
import { ImportGraph, modulesBelow } from './related-tests.ts';
import { sample } from './sample.ts';
import { Trials } from './trial.ts';
import { WorkCopy } from './work-copy.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const SOURCES = ['lambdas', 'lib', 'operator', 'test', 'tools'];
const RESULTS = join(ROOT, 'test-results');
const MIN_PERCENT = 95;

interface MutantTrial {
  readonly candidate: MutantCandidate;
  readonly first: StoredTrial;
  readonly last: StoredTrial;
}

export async function measureMutants(args: readonly string[]): Promise<readonly BenchMetric[]> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
      minutes: { type: 'string', default: '60' },
      workers: { type: 'string', default: '2' },
      continue: { type: 'string' },
      again: { type: 'boolean', default: false },
    },
  });
  const untilMs = performance.now() + Number(values.minutes) * 60_000;
  const modules = modulesBelow(ROOT, SOURCES);
  const candidates = sample(
    candidatesIn(ROOT, modules, positionals),
    { idOf: ({ id }) => id, groupOf: areaName },
    { seed: Number(values.seed), count: Number(values.count) },
  );
  const record = recordIn(values.continue);
  const queue = candidates.filter(({ id }) => {
    const verdict = record.lastOf(id)?.verdict;
    return values.again ? verdict === 'survived' : verdict === undefined;
  });
  console.log(`${queue.length} of ${candidates.length} mutants are to be tried`);
  // Without time, the record alone is reported.
  if (queue.length > 0 && Number(values.minutes) > 0)
    await runTrials(queue, { modules, record, workers: Number(values.workers), untilMs });
  const trials = candidates.flatMap((candidate): MutantTrial[] => {
    const [first, last] = [record.firstOf(candidate.id), record.lastOf(candidate.id)];
    return first === undefined || last === undefined ? [] : [{ candidate, first, last }];
  });
  return metricsOf(trials, `seed ${values.seed}`);
}

/** Without a file to continue, a new one is begun. */
function recordIn(file: string | undefined): TrialRecord {
  mkdirSync(RESULTS, { recursive: true });
  const fresh = join(RESULTS, 'mutants.jsonl');
  if (file === undefined) rmSync(fresh, { force: true });
  return new TrialRecord(file ?? fresh);
}

interface RunOptions {
  readonly modules: readonly string[];
  readonly record: TrialRecord;
  readonly workers: number;
  readonly untilMs: number;
}

async function runTrials(
  candidates: readonly MutantCandidate[],
  { modules, record, workers, untilMs }: RunOptions,
): Promise<void> {
  const graph = new ImportGraph(ROOT, modules);
  const paths = [...new Set(candidates.map(({ path }) => path))];
  const copies = Array.from({ length: workers }, () => new WorkCopy(ROOT));
  try {
    const coverage = await coverageOf(copies, graph, paths);
    const queue = [...candidates];
    const work = async (copy: WorkCopy) => {
      const trials = new Trials(copy, { graph, coverage, record });
      while (queue.length > 0 && performance.now() < untilMs) {
        const candidate = queue.shift() as MutantCandidate;
        const stored = record.keep(await trials.runTrial(candidate));
        console.log(`${candidates.length - queue.length}/${candidates.length} ${lineOf(stored)}`);
      }
    };
    await Promise.all(copies.map(work));
  } finally {
    for (const copy of copies) copy.remove();
  }
}

/** The maximum number of tests for a module in each ring, the nearest ones first. */
const NEAREST: Readonly<Record<string, number>> = { unit: 16, integration: 8 };

/** Measures the coverage of the nearest tests that import the modules, without the slow ones. */
async function coverageOf(
  copies: readonly WorkCopy[],
  graph: ImportGraph,
  paths: readonly string[],
): Promise<Coverage> {
  const [copy] = copies as [WorkCopy];
  const relatedTests = paths.map((path) => graph.testsOf(path).filter((test) => !SLOW.test(test)));
  const ringOf = new Map<string, string>();
  for (const [ring, maxMutants] of Object.entries(NEAREST)) {
    const tests = new Set(await copy.testsOf(ring));
    for (const each of relatedTests)
      for (const test of each.filter((path) => tests.has(path)).slice(0, maxMutants)) ringOf.set(test, ring);
  }
  const modules = [
    ...new Set(candidatesIn(ROOT, modulesBelow(ROOT, SOURCES), []).map(({ path }) => path)),
    ...paths,
  ];
  const file = join(RESULTS, 'mutants-coverage.jsonl');
  return measureCoverage(copy, graph, ringOf, { file, modules, workers: copies.length });
}

function metricsOf(trials: readonly MutantTrial[], note: string): BenchMetric[] {
  const groups = Map.groupBy(trials, ({ candidate }) => areaName(candidate));
  const names = new Set([...AREAS.map(({ name }) => name), ...groups.keys()]);
  const caught = trials.filter(({ last }) => last.verdict === 'killed');
  const byUnit = caught.filter(({ last }) => last.ring === 'unit');
  const unit = '%';
  return [
    ...[...names].flatMap((name) => {
      const areaTrials = groups.get(name);
      return areaTrials === undefined
        ? []
        : [{ ...share(name, areaTrials, 'last'), ...survivorsAmong(areaTrials) }];
    }),
    { ...share('all', trials, 'last'), least: MIN_PERCENT, note },
    share('all, at the first trial', trials, 'first'),
    { name: 'of those caught, by the unit ring', value: (100 * byUnit.length) / caught.length, unit },
    {
      name: 'mutants that the compiler refuses, left out',
      value: count(trials, 'last', 'refused'),
      unit: 'mutants',
    },
  ];
}

const count = (trials: readonly MutantTrial[], which: 'first' | 'last', verdict: Verdict): number =>
  trials.filter((one) => one[which].verdict === verdict).length;

function share(name: string, trials: readonly MutantTrial[], which: 'first' | 'last'): BenchMetric {
  const [killed, survived] = [count(trials, which, 'killed'), count(trials, which, 'survived')];
  const value = (100 * killed) / (killed + survived);
  return { name: `caught: ${name}, ${killed + survived} mutants`, value, unit: '%' };
}

function survivorsAmong(trials: readonly MutantTrial[]): { readonly note?: string } {
  const notes = trials
    .filter(({ last }) => last.verdict === 'survived')
    .map(({ candidate, last: { path, mistake } }) => {
      const reason = acceptanceOf(path, readFileSync(join(ROOT, path), 'utf8'), candidate);
      return `${path}:${candidate.line} ${mistake} (${reason ?? 'not judged yet'})`;
    });
  return notes.length === 0 ? {} : { note: notes.join('; ') };
}
