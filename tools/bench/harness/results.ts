/** The stored results of the benches. */
import { join } from 'node:path';
import { type BenchMetric, type DatedReport, newestReport } from './report.ts';

export const RESULTS = join(import.meta.dirname, '..', 'results');

export function resultOf(bench: string): DatedReport {
  const report = newestReport(RESULTS, bench);
  if (report === undefined) throw new Error(`there is no result of ${bench}: npm run bench -- ${bench}`);
  return report;
}

/** Returns the value of that name in the newest result of a bench, the first if it has several in different units. */
export function resultMetric(bench: string, name: string): BenchMetric {
  const found = resultOf(bench).figures.find((metric) => metric.name === name);
  if (found === undefined)
    throw new Error(`the newest result of ${bench} has no "${name}": npm run bench -- ${bench}`);
  return found;
}
