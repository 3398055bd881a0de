/** The result of a bench: values with their budgets, as a table for people and a file for comparisons. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';

export interface BenchMetric {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The budget: a greater value breaks it. A figure without bounds is only reported. */
  readonly most?: number;
  /** The budget from below. */
  readonly least?: number;
  /** A bound that is aimed at: one that is missed is said to be, and breaks nothing. */
  readonly goal?: true;
  /** The parts that the value includes or excludes, if its name does not state them. */
  readonly note?: string;
}

/** The machine of the measurement. A load above the number of cores means that the machine had other work. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  /** Runnable processes on average over the minute before the bench. */
  readonly load: number;
}

/** A random sample of the statements of measured code, as concatenated hashes. */
export interface CodeSample {
  /** The number of different statements. */
  readonly statements: number;
  readonly sample: string;
}

export interface Report {
  readonly bench: string;
  /** Such as `54092c2f`, or `54092c2f-dirty` if tracked files differed from it. */
  readonly commit?: string;
  readonly machine: Machine;
  readonly seconds: number;
  /** A sample of each part of the measured code. */
  readonly code?: Readonly<Record<string, CodeSample>>;
  readonly figures: readonly BenchMetric[];
}

/** A stored report. */
export type DatedReport = Report & { readonly date: string };

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    load: round(loadavg()[0] ?? 0),
  };
}

/** Returns the commit of the working tree, or `unknown` outside of a repository. */
export function describeCommit(): string {
  const options = ['describe', '--always', '--dirty', '--exclude=*', '--abbrev=8'];
  try {
    return execFileSync('git', options, { cwd: import.meta.dirname, encoding: 'utf8', stdio: 'pipe' }).trim();
  } catch {
    return 'unknown';
  }
}

/** Such as `2026-11-25, commit 54092c2f (AMD EPYC, 2 cores, Node 24.21.0, load 1.4 before the run)`. */
export const describeRun = ({ date, commit = 'unknown', machine }: DatedReport): string =>
  `${date}, commit ${commit} (${machine.cpu}, ${machine.cores} cores, Node ${machine.node.slice(1)}, ` +
  `load ${machine.load} before the run)`;

const isBounded = ({ most, least }: BenchMetric): boolean => most !== undefined || least !== undefined;

/** Returns whether the value is within its bounds; NaN is within no bounds. */
const holds = ({ value, most, least }: BenchMetric): boolean =>
  (most === undefined || value <= most) && (least === undefined || value >= least);

export const isBroken = (metric: BenchMetric): boolean => metric.goal !== true && !holds(metric);

/** Such as `at most 2`; nothing for a figure that is only reported. */
export const boundsOf = ({ most, least }: BenchMetric): string =>
  [least === undefined ? [] : `at least ${least}`, most === undefined ? [] : `at most ${most}`]
    .flat()
    .join(', ');

/** The figures as a table of name, value, budget and verdict, with the notes below it. */
export function formatReport({ bench, machine, seconds, figures }: Report): string {
  const rows = figures.map((metric) => [
    metric.name,
    `${round(metric.value)} ${metric.unit}`,
    boundsOf(metric),
    verdictOf(metric),
  ]);
  const widths = [0, 1, 2].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const { cpu, cores, node, load } = machine;
  return [
    `${bench} (${round(seconds)} s; ${cpu}, ${cores} cores, load ${load}, Node ${node})`,
    ...rows.map((row) =>
      `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd(),
    ),
    ...figures.flatMap(({ name, note }) => (note === undefined ? [] : [`  * ${name}: ${note}`])),
    '',
  ].join('\n');
}

/** Writes `<folder>/<YYYY-MM-DD>-<bench>.json`, over an earlier one of the same day; returns its path. */
export function writeReport({ figures, ...report }: Report, folder: string, now: Date): string {
  const date = now.toISOString().slice(0, 10);
  const content = {
    date,
    ...report,
    passed: !figures.some(isBroken),
    figures: figures.map((metric) => ({
      ...metric,
      ...(isBounded(metric) ? { passed: holds(metric) } : {}),
    })),
  };
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${date}-${report.bench}.json`);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

/** The newest results of a bench in the folder; undefined when there are none. */
export function newestReport(folder: string, bench: string): DatedReport | undefined {
  const file = readdirSync(folder)
    .filter((name) => /^\d{4}-\d\d-\d\d-(.*)\.json$/.exec(name)?.[1] === bench)
    .sort()
    .at(-1);
  if (file === undefined) return undefined;
  // JSON has no NaN: what could not be measured is written as null, which would pass for 0.
  const read = (name: string, value: unknown) => (name === 'value' ? (value ?? Number.NaN) : value);
  return JSON.parse(readFileSync(join(folder, file), 'utf8'), read) as DatedReport;
}

/** `ok` or `BROKEN` of a budget, `met` or `missed` of a goal; nothing for a figure that is only reported. */
export function verdictOf(metric: BenchMetric): string {
  if (!isBounded(metric)) return '';
  if (metric.goal === true) return holds(metric) ? 'met' : 'missed';
  return holds(metric) ? 'ok' : 'BROKEN';
}

/** Two decimals, or three digits of what is smaller than that shows. */
export const round = (value: number): number =>
  Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 100) / 100;
