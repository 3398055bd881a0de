/** What a bench has found: figures against their budgets, as a table for people and a file for comparisons. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, loadavg } from 'node:os';
import { join } from 'node:path';

export interface Figure {
  readonly name: string;
  readonly value: number;
  readonly unit: string;
  /** The budget: a greater value breaks it. A figure without one is only reported. */
  readonly most?: number;
  /** What the figure leaves out or takes in, where its name does not say it. */
  readonly note?: string;
}

/** Where the figures come from. A load of more than the cores says that the machine had other work. */
export interface Machine {
  readonly cpu: string;
  readonly cores: number;
  readonly node: string;
  /** Runnable processes on average over the minute before the bench. */
  readonly load: number;
}

export interface Report {
  readonly bench: string;
  readonly machine: Machine;
  readonly seconds: number;
  readonly figures: readonly Figure[];
}

export function describeMachine(): Machine {
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: availableParallelism(),
    node: process.version,
    load: round(loadavg()[0] ?? 0),
  };
}

/** A value that is no number breaks any budget. */
export const isBroken = ({ value, most }: Figure): boolean => most !== undefined && !(value <= most);

/** The figures as a table of name, value, budget and verdict, with the notes below it. */
export function formatReport({ bench, machine, seconds, figures }: Report): string {
  const rows = figures.map((figure) => [
    figure.name,
    `${round(figure.value)} ${figure.unit}`,
    figure.most === undefined ? '' : `at most ${figure.most}`,
    verdictOf(figure),
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
    figures: figures.map((figure) => ({
      ...figure,
      ...(figure.most === undefined ? {} : { passed: !isBroken(figure) }),
    })),
  };
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${date}-${report.bench}.json`);
  writeFileSync(file, `${JSON.stringify(content, null, 2)}\n`);
  return file;
}

function verdictOf(figure: Figure): string {
  if (figure.most === undefined) return '';
  return isBroken(figure) ? 'BROKEN' : 'ok';
}

/** Two decimals, or three digits of what is smaller than that shows. */
export const round = (value: number): number =>
  Math.abs(value) < 1 ? Number(value.toPrecision(3)) : Math.round(value * 100) / 100;
