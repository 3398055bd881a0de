/** The comparison with others in docs/benchmarks.md, from a result of `npm run bench -- peers`. */
import { CASES, CHAT, CHAT_STREAMED, PACED_CASES } from '../harness/load/cases.ts';
import { markdownTable } from '../harness/markdown.ts';
import { type BenchMetric, boundsOf, type DatedReport, describeRun, verdictOf } from '../harness/report.ts';
import { BARE } from './bare.ts';
import { ADDED_ALONE, CPU, DATABASE_CPU, metricName, PEAK, RESIDENT, START } from './figures.ts';
import { FORWARDER } from './forwarder/contestant.ts';
import { LITELLM } from './litellm.ts';
import { OURS, OURS_WITHOUT_MONEY } from './ours.ts';
import { PORTKEY } from './portkey.ts';

const COLUMNS = [OURS, OURS_WITHOUT_MONEY, PORTKEY, LITELLM, FORWARDER] as const;

/** Rounds to the digits that a reader compares. */
const digits = (value: number): string => String(Number(value.toPrecision(value >= 100 ? 3 : 2)));

/** Returns a value of a report with its unit, or a dash. */
export function shown({ figures }: DatedReport, name: string, unit: string): string {
  const { value = Number.NaN } = figures.find((metric) => metric.name === name) ?? {};
  return Number.isNaN(value) ? '-' : `${digits(value)} ${unit}`;
}

/** A row of the named values of a report. */
const comparisonRow = (
  report: DatedReport,
  title: string,
  names: readonly string[],
  unit: string,
): readonly string[] => [title, ...names.map((name) => shown(report, name, unit))];

/** The value, the bounds and the verdict of a goal. */
export function goalCells(metric: BenchMetric): readonly [value: string, bounds: string, verdict: string] {
  const verdict = verdictOf(metric);
  return [String(metric.value), boundsOf(metric), verdict === 'missed' ? '**missed**' : verdict];
}

export function peersSection(report: DatedReport): string {
  const has = (name: string) => report.figures.some((metric) => metric.name === name);
  const columns = COLUMNS.filter((column) => has(`${START}: ${column}`));
  const row = (title: string, name: (column: string) => string, unit: string) =>
    comparisonRow(report, title, columns.map(name), unit);
  const measuredCases = [CHAT, CHAT_STREAMED, ...PACED_CASES].filter((testCase) =>
    has(metricName(testCase.name, CPU, OURS)),
  );
  const goals = report.figures.filter(({ goal }) => goal === true);
  return [
    `Medians of ${shown(report, 'rounds', 'interleaved rounds')} on ${describeRun(report)}.`,
    '',
    markdownTable(
      [`Goal, as a share of ${PORTKEY}'s unless it names another`, 'Measured', 'Wanted', ''],
      goals.map((metric) => [metric.name.replace('goal: ', ''), ...goalCells(metric)]),
    ),
    '',
    markdownTable(
      ['', ...columns],
      [
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
        ...measuredCases.map(({ name }) =>
          row(`CPU of a call, ${name}`, (column) => metricName(name, CPU, column), 'ms'),
        ),
        row(
          'CPU of a chat call of the database process',
          (column) => metricName('chat', DATABASE_CPU, column),
          'ms',
        ),
        row('memory after the rounds', (column) => `${RESIDENT}: ${column}`, 'MB'),
        row('start to first answer', (column) => `${START}: ${column}`, 'ms'),
      ],
    ),
    '',
    `The bare upstream takes ${shown(report, metricName('chat', 'p50, 1 at once', BARE), 'ms')} a call and ${shown(report, metricName('chat', PEAK, BARE), 'calls')} a second.`,
  ].join('\n');
}
