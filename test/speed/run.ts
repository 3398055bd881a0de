/**
 * `npm run test:speed [-- RING... --runs N --condition NAME]`: runs the rings one after the other, under conditions that
 * change the speed of the machine. Measures the time of each ring and of the slowest files. Exits with 1 if a test fails,
 * or a passing run prints JSON, a stack trace or a warning. The condition `one core` needs Linux.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  type BenchMetric,
  describeCommit,
  describeMachine,
  formatReport,
  isBroken,
  round,
  writeReport,
} from '../../tools/bench/harness/report.ts';
import { RESULTS } from '../../tools/bench/harness/results.ts';
import { median } from '../../tools/bench/harness/statistics.ts';
import { WORKERS } from '../jest.ts';

const ROOT = join(import.meta.dirname, '..', '..');
const COMPETING_LOOPS = 4;
const SLOWEST = 30;

/** The rings of the gate, which have no command. */
const GATE = ['unit', 'template', 'integration', 'system'];

const commandOf = (ring: string): readonly string[] =>
  GATE.includes(ring)
    ? [
        process.execPath,
        join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js'),
        '--selectProjects',
        ring,
        `--maxWorkers=${WORKERS}`,
        '--json',
        `--outputFile=test-results/${ring}.json`,
      ]
    : ['npm', 'run', `test:${ring}`];

/** A change of the machine's speed: a command prefix, an environment, or processes that run at the same time. */
interface Condition {
  readonly prefix?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly loadLoops?: number;
}

const CONDITIONS: Readonly<Record<string, Condition>> = {
  plain: {},
  'one core': { prefix: ['taskset', '-c', '0'] },
  'busy loops': { loadLoops: COMPETING_LOOPS },
  'halved timers': {
    environment: { NODE_OPTIONS: `--import ${new URL('halved-timers.ts', import.meta.url)}` },
  },
};

/** JSON, a stack trace, or a warning. */
const UNEXPECTED = /^\s*\{.*"|^\s+at .*:\d+:\d+\)?$|\bWarning\b|● Console/;

interface JestReport {
  readonly numFailedTests: number;
  readonly numRuntimeErrorTestSuites: number;
  readonly testResults: readonly { name: string; startTime: number; endTime: number }[];
}

interface Run {
  readonly seconds: number;
  readonly failures: number;
  readonly unexpectedLines: readonly string[];
  readonly files: readonly { readonly path: string; readonly seconds: number }[];
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    runs: { type: 'string', default: '1' },
    condition: { type: 'string', multiple: true, default: ['plain'] },
  },
});

async function measure(): Promise<readonly BenchMetric[]> {
  const rings = positionals.length === 0 ? GATE : positionals;
  const metrics: BenchMetric[] = [];
  const secondsOf = new Map<string, number>();
  for (const name of values.condition)
    for (const ring of rings) {
      const runs: Run[] = [];
      while (runs.length < Number(values.runs)) runs.push(await runRing(ring, conditionOf(name)));
      metrics.push(...metricsOf(`${ring}, ${name}`, runs));
      for (const { path, seconds } of runs.flatMap(({ files }) => files))
        secondsOf.set(path, Math.max(seconds, secondsOf.get(path) ?? 0));
    }
  const slowest = [...secondsOf].sort(([, a], [, b]) => b - a).slice(0, SLOWEST);
  return [...metrics, ...slowest.map(([path, value]) => ({ name: path, value, unit: 's' }))];
}

function conditionOf(name: string): Condition {
  const condition = CONDITIONS[name];
  if (condition === undefined)
    throw new Error(`there is no condition ${name}: choose from ${Object.keys(CONDITIONS).join(', ')}`);
  return condition;
}

function metricsOf(name: string, runs: readonly Run[]): BenchMetric[] {
  const failures = runs.reduce((sum, run) => sum + run.failures, 0);
  const lines = runs.flatMap(({ unexpectedLines }) => unexpectedLines);
  return [
    {
      name: `${name}: time, median of ${runs.length}`,
      value: median(runs.map(({ seconds }) => seconds)),
      unit: 's',
    },
    { name: `${name}: failures`, value: failures, unit: 'tests', most: 0 },
    {
      name: `${name}: unexpected lines`,
      value: lines.length,
      unit: 'lines',
      most: 0,
      ...(lines.length === 0 ? {} : { note: lines.slice(0, 5).join(' | ').slice(0, 500) }),
    },
  ];
}

async function runRing(
  ring: string,
  { prefix = [], environment = {}, loadLoops = 0 }: Condition,
): Promise<Run> {
  const file = join(ROOT, 'test-results', `${ring}.json`);
  mkdirSync(dirname(file), { recursive: true });
  // A ring that is skipped, or does not start, must not be read from an earlier run.
  rmSync(file, { force: true });
  const loops = Array.from({ length: loadLoops }, () => spawn(process.execPath, ['-e', 'for (;;);']));
  try {
    const [program = '', ...args] = [...prefix, ...commandOf(ring)];
    const startedMs = performance.now();
    const child = spawn(program, args, {
      cwd: ROOT,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const printed = await linesOf(child);
    const seconds = (performance.now() - startedMs) / 1000;
    const report = JSON.parse(readFileSync(file, 'utf8')) as JestReport;
    return {
      seconds,
      failures: report.numFailedTests + report.numRuntimeErrorTestSuites,
      unexpectedLines: printed.filter((line) => UNEXPECTED.test(line)),
      files: report.testResults.map(({ name, startTime, endTime }) => ({
        path: name.slice(ROOT.length + 1),
        seconds: (endTime - startTime) / 1000,
      })),
    };
  } finally {
    for (const loop of loops) loop.kill('SIGKILL');
  }
}

/** Everything that the process prints, once it has ended. */
async function linesOf(child: ChildProcess): Promise<string[]> {
  const chunks: Buffer[] = [];
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk: Buffer) => chunks.push(chunk));
  await once(child, 'close');
  return Buffer.concat(chunks).toString('utf8').split('\n');
}

const startedMs = performance.now();
const metrics = (await measure()).map((metric) => ({ ...metric, value: round(metric.value) }));
const report = {
  bench: 'tests',
  commit: describeCommit(),
  machine: describeMachine(),
  seconds: round((performance.now() - startedMs) / 1000),
  figures: metrics,
};
console.log(formatReport(report));
writeReport(report, RESULTS, new Date());
if (metrics.some(isBroken)) process.exitCode = 1;
