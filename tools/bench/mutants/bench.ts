/**
 * `npm run bench -- mutants [PATH...] [--seed N] [--count N] [--minutes N] [--workers N] [--continue FILE] [--again]`:
 * small mistakes, one at a time, in the code that must not have any, and whether a test notices. Each is made in a copy
 * of the repository and shown to the tests that run its line: of the unit ring, then of the integration ring. Caught is a
 * mutant with which a test fails or takes too long; one that survives and that the compiler refuses does not count.
 */
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from '../harness/report.ts';
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
const LEAST_PERCENT = 95;

interface Tried {
  readonly candidate: MutantCandidate;
  readonly first: StoredTrial;
  readonly last: StoredTrial;
}

export async function measureMutants(args: readonly string[]): Promise<readonly Figure[]> {
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
    await tryAll(queue, { modules, record, workers: Number(values.workers), untilMs });
  const tried = candidates.flatMap((candidate): Tried[] => {
    const [first, last] = [record.firstOf(candidate.id), record.lastOf(candidate.id)];
    return first === undefined || last === undefined ? [] : [{ candidate, first, last }];
  });
  return figuresOf(tried, `seed ${values.seed}`);
}

/** Without a file to continue, a new one is begun. */
function recordIn(file: string | undefined): TrialRecord {
  mkdirSync(RESULTS, { recursive: true });
  const fresh = join(RESULTS, 'mutants.jsonl');
  if (file === undefined) rmSync(fresh, { force: true });
  return new TrialRecord(file ?? fresh);
}

async function tryAll(
  candidates: readonly MutantCandidate[],
  context: {
    readonly modules: readonly string[];
    readonly record: TrialRecord;
    readonly workers: number;
    readonly untilMs: number;
  },
): Promise<void> {
  const { modules, record, workers, untilMs } = context;
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
        const kept = record.keep(await trials.try(candidate));
        console.log(`${candidates.length - queue.length}/${candidates.length} ${lineOf(kept)}`);
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
  const seen = paths.map((path) => graph.testsOf(path).filter((test) => !SLOW.test(test)));
  const ringOf = new Map<string, string>();
  for (const [ring, most] of Object.entries(NEAREST)) {
    const tests = new Set(await copy.testsOf(ring));
    for (const each of seen)
      for (const test of each.filter((path) => tests.has(path)).slice(0, most)) ringOf.set(test, ring);
  }
  const modules = [
    ...new Set(candidatesIn(ROOT, modulesBelow(ROOT, SOURCES), []).map(({ path }) => path)),
    ...paths,
  ];
  const file = join(RESULTS, 'mutants-coverage.jsonl');
  return measureCoverage(copy, graph, ringOf, { file, modules, workers: copies.length });
}

function figuresOf(tried: readonly Tried[], note: string): Figure[] {
  const names = new Set([
    ...AREAS.map(({ name }) => name),
    ...tried.map(({ candidate }) => areaName(candidate)),
  ]);
  const areas = [...names].flatMap((name) => {
    const own = tried.filter(({ candidate }) => areaName(candidate) === name);
    return own.length === 0 ? [] : [{ ...share(name, own, 'last'), ...survivorsAmong(own) }];
  });
  const unit = tried.filter(({ last }) => last.verdict === 'killed' && last.ring === 'unit').length;
  return [
    ...areas,
    { ...share('all', tried, 'last'), least: LEAST_PERCENT, note },
    { ...share('all, at the first trial', tried, 'first') },
    {
      name: 'of those caught, by the unit ring',
      value: (100 * unit) / count(tried, 'last', 'killed'),
      unit: '%',
    },
    {
      name: 'mutants that the compiler refuses, left out',
      value: count(tried, 'last', 'refused'),
      unit: 'mutants',
    },
  ];
}

const count = (tried: readonly Tried[], which: 'first' | 'last', wanted: Verdict): number =>
  tried.filter((one) => one[which].verdict === wanted).length;

function share(name: string, tried: readonly Tried[], which: 'first' | 'last'): Figure {
  const [killed, survived] = [count(tried, which, 'killed'), count(tried, which, 'survived')];
  const value = (100 * killed) / (killed + survived);
  return { name: `caught: ${name}, ${killed + survived} mutants`, value, unit: '%' };
}

function survivorsAmong(tried: readonly Tried[]): { readonly note?: string } {
  const notes = tried
    .filter(({ last }) => last.verdict === 'survived')
    .map(({ candidate, last: { path, mistake } }) => {
      const reason = acceptanceOf(path, readFileSync(join(ROOT, path), 'utf8'), candidate);
      return `${path}:${candidate.line} ${mistake} (${reason ?? 'not judged yet'})`;
    });
  return notes.length === 0 ? {} : { note: notes.join('; ') };
}
