/**
 * `npm run bench -- mutants [PATH...] [--seed N] [--count N] [--minutes N] [--workers N]`: small mistakes, one at a
 * time, in the code that must not have any, and whether a test notices. Each is made in a copy of the repository and
 * shown to the tests that import the module: the unit ring, then the nearest files of the integration ring. Caught is
 * a mutant with which a test fails or takes too long; one that survives and that the compiler refuses does not count.
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Figure } from '../harness/report.ts';
import { AREAS, areaOf, EXCLUDED, isOutOfSight } from './areas.ts';
import { isEquivalent } from './equivalents.ts';
import { mutantsOf } from './operators.ts';
import { ImportGraph, modulesBelow } from './related-tests.ts';
import { sample } from './sample.ts';
import { type Candidate, type Trial, Trials } from './trial.ts';
import { WorkCopy } from './work-copy.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const SOURCES = ['lambdas', 'lib', 'local', 'operator', 'simulators', 'test', 'bench'];
const LEAST_PERCENT = 95;

export async function measureMutants(args: readonly string[]): Promise<readonly Figure[]> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      seed: { type: 'string', default: '1' },
      count: { type: 'string', default: '100' },
      minutes: { type: 'string', default: '60' },
      workers: { type: 'string', default: '2' },
    },
  });
  const modules = modulesBelow(ROOT, SOURCES);
  const graph = new ImportGraph(ROOT, modules);
  const candidates = sample(candidatesIn(modules, positionals), areaName, {
    seed: Number(values.seed),
    count: Number(values.count),
  });
  const untilMs = performance.now() + Number(values.minutes) * 60_000;
  const queue = [...candidates];
  const trials: Trial[] = [];
  const work = async () => {
    const copy = new WorkCopy(ROOT);
    try {
      const bench = new Trials(copy, graph, await ringsOf(copy));
      for (
        let next = queue.shift();
        next !== undefined && performance.now() < untilMs;
        next = queue.shift()
      ) {
        const trial = await bench.try(next);
        trials.push(trial);
        console.log(`${trials.length}/${candidates.length} ${lineOf(trial)}`);
      }
    } finally {
      copy.remove();
    }
  };
  await Promise.all(Array.from({ length: Number(values.workers) }, work));
  return figuresOf(trials);
}

const areaName = ({ path }: Candidate): string => areaOf(path)?.name ?? path;

/** Every mutant of the critical folders, or of the paths that are given, that is known to make a difference. */
export const candidatesIn = (modules: readonly string[], paths: readonly string[]): Candidate[] =>
  modules
    .filter((path) => !EXCLUDED.test(path))
    .filter((path) =>
      paths.length === 0 ? areaOf(path) !== undefined : paths.some((prefix) => path.startsWith(prefix)),
    )
    .flatMap((path) => {
      const text = readFileSync(join(ROOT, path), 'utf8');
      return mutantsOf(text)
        .filter((mutant) => !isEquivalent(path, text, mutant) && !isOutOfSight(path, mutant))
        .map((mutant) => ({ ...mutant, path }));
    });

async function ringsOf(copy: WorkCopy): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const rings = new Map<string, ReadonlySet<string>>();
  for (const ring of ['unit', 'integration', 'template']) rings.set(ring, new Set(await copy.testsOf(ring)));
  return rings;
}

const shown = (text: string): string => text.replace(/\s+/g, ' ').slice(0, 100);

function lineOf({ candidate, verdict, by }: Trial): string {
  const { path, line, operator, original, replacement } = candidate;
  const mistake = `${path}:${line} ${operator}: ${shown(original)} -> ${shown(replacement)}`;
  return `${verdict.toUpperCase()} ${mistake}${by === undefined ? '' : ` [${shown(by)}]`}`;
}

function figuresOf(trials: readonly Trial[]): Figure[] {
  const names = [...AREAS.map(({ name }) => name), ...trials.map(({ candidate }) => areaName(candidate))];
  const areas = [...new Set(names)].flatMap((name) => {
    const own = trials.filter(({ candidate }) => areaName(candidate) === name);
    return own.length === 0 ? [] : [share(name, own)];
  });
  const unit = trials.filter(({ ring }) => ring === 'unit').length;
  return [
    ...areas,
    { ...share('all', trials), least: LEAST_PERCENT },
    { name: 'of those caught, by the unit ring', value: (100 * unit) / count(trials, 'killed'), unit: '%' },
    { name: 'mutants that the compiler refuses, left out', value: count(trials, 'refused'), unit: 'mutants' },
  ];
}

const count = (trials: readonly Trial[], wanted: Trial['verdict']): number =>
  trials.filter(({ verdict }) => verdict === wanted).length;

function share(name: string, trials: readonly Trial[]): Figure {
  const [killed, survived] = [
    count(trials, 'killed'),
    trials.filter(({ verdict }) => verdict === 'survived'),
  ];
  const value = (100 * killed) / (killed + survived.length);
  const figure = { name: `caught: ${name}, ${killed + survived.length} mutants`, value, unit: '%' };
  if (name === 'all' || survived.length === 0) return figure;
  return { ...figure, note: survived.map((trial) => lineOf(trial).replace('SURVIVED ', '')).join('; ') };
}
