/** The table of docs/benchmarks.md with what processes held in the soak. */
import { markdownTable } from '../harness/markdown.ts';
import type { BenchMetric, DatedReport } from '../harness/report.ts';
import { MEASURES } from './growth.ts';
import type { Compute } from './service.ts';

/** The busiest processes; the result has the others too. */
const SHOWN = /^(host, inference-host|functions, create-(?:chat-completion|message)) \(.*\): heap$/;

/** The values that begin the note of a figure. */
const valuesOf = ({ note = '' }: BenchMetric): string => note.split(' in ')[0] ?? '';

export function soakSection({ figures }: DatedReport): string {
  const find = (name: string): BenchMetric => {
    const found = figures.find((metric) => metric.name === name);
    if (found === undefined) throw new Error(`the newest result of soak has no "${name}"`);
    return found;
  };
  const rows = figures.flatMap((heap) => {
    const [, title] = SHOWN.exec(heap.name) ?? [];
    if (title === undefined) return [];
    const [, ...others] = MEASURES.map((measure) => find(heap.name.replace(/heap$/, measure)));
    return [[title, valuesOf(heap), `${heap.value} %`, ...others.map(valuesOf)]];
  });
  const steepest = (['host', 'functions'] satisfies Compute[]).map((compute) => {
    const [heap, ...others] = MEASURES.map((measure) => find(`${compute}: steepest ${measure}`));
    const { value: processes } = find(`${compute}: processes`);
    const cells = others.map(({ value, unit }) => `${value} ${unit}`);
    return [`${compute}, the greatest growth of ${processes} processes`, '', `${heap?.value} %`, ...cells];
  });
  const head = ['Process', 'Heap', 'Its growth', 'Handles', 'Timers', 'Files'];
  return markdownTable(head, [...rows, ...steepest]);
}
