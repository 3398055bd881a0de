/** The comparison with others in docs/benchmarks.md, made from the newest results of `npm run bench -- peers`. */
import { readFileSync, writeFileSync } from 'node:fs';
import { CASES } from '../harness/load/cases.ts';
import { type BenchMetric, boundsOf, type DatedReport, newestReport, verdictOf } from '../harness/report.ts';
import { BARE } from './bare.ts';
import { ADDED_ALONE, CPU, DATABASE_CPU, metricName, PEAK, RESIDENT, START } from './figures.ts';
import { LITELLM } from './litellm.ts';
import { OURS, OURS_WITHOUT_MONEY } from './ours.ts';
import { PORTKEY } from './portkey.ts';

const [BEGIN, END] = ['<!-- peers -->', '<!-- /peers -->'];

const COLUMNS = [OURS, OURS_WITHOUT_MONEY, PORTKEY, LITELLM] as const;

/** The newest results in the folder; undefined when there are none. */
export const newestPeers = (folder: string): DatedReport | undefined => newestReport(folder, 'peers');

/** The section's text, with the marks around it. */
export function peersSection(report: DatedReport): string {
  const { date, machine, figures } = report;
  const value = (name: string) => figures.find((metric) => metric.name === name)?.value;
  const shown = (name: string, unit: string) => {
    const measured = value(name);
    return measured === undefined || Number.isNaN(measured) ? '-' : `${digits(measured)} ${unit}`;
  };
  const row = (title: string, name: (column: string) => string, unit: string) =>
    `| ${title} | ${COLUMNS.map((column) => shown(name(column), unit)).join(' | ')} |`;
  const rounds = value('rounds');
  return [
    BEGIN,
    `Medians of ${rounds} interleaved round${rounds === 1 ? '' : 's'} on ${date} (${machine.cpu}, ${machine.cores} cores for everything, Node ${machine.node.slice(1)}, load ${machine.load} before the run).`,
    '',
    `| Goal, as a share of ${PORTKEY}'s | Measured | Wanted | |`,
    '|---|---|---|---|',
    ...figures.filter(({ goal }) => goal === true).map(goalRow),
    '',
    `| | ${COLUMNS.join(' | ')} |`,
    '|---|---|---|---|---|',
    ...CASES.map(({ name }) =>
      row(
        `added to ${name}, p50, one call at a time`,
        (column) => metricName(name, ADDED_ALONE, column),
        'ms',
      ),
    ),
    ...CASES.map(({ name }) =>
      row(`most calls a second, ${name}`, (column) => metricName(name, PEAK, column), '/s'),
    ),
    row('CPU of a chat call', (column) => metricName('chat', CPU, column), 'ms'),
    row('and of the database process', (column) => metricName('chat', DATABASE_CPU, column), 'ms'),
    row('memory after the rounds', (column) => `${RESIDENT}: ${column}`, 'MB'),
    row('start to first answer', (column) => `${START}: ${column}`, 'ms'),
    '',
    `The bare upstream takes ${shown(metricName('chat', 'p50, 1 at once', BARE), 'ms')} a call and ${shown(metricName('chat', PEAK, BARE), 'calls')} a second.`,
    END,
  ].join('\n');
}

function goalRow(metric: BenchMetric): string {
  const name = metric.name.replace('goal: ', '');
  const verdict = verdictOf(metric);
  return `| ${name} | ${digits(metric.value)} | ${boundsOf(metric)} | ${verdict === 'missed' ? '**missed**' : verdict} |`;
}

/** Rounds to the digits that a reader compares. */
const digits = (value: number): string => String(Number(value.toPrecision(value >= 100 ? 3 : 2)));

/** Brings the page's section up to the newest results; throws when it has none. */
export function updatePage(page: string, results: string): void {
  const report = newestPeers(results);
  if (report === undefined) return;
  const text = readFileSync(page, 'utf8');
  const [start, end] = [text.indexOf(BEGIN), text.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`there is no ${BEGIN} section`);
  writeFileSync(page, text.slice(0, start) + peersSection(report) + text.slice(end + END.length));
}
