/** The tables of measured values in the documentation, from the newest results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fargateCost } from '../cost/computes.ts';
import { readMeasured } from '../cost/measured.ts';
import { costOf, total } from '../cost/model.ts';
import { USUAL } from '../cost/run.ts';
import { bill, breakEvenText, computes } from '../cost/tables.ts';
import { markdownTable } from '../harness/markdown.ts';
import { boundsOf, type DatedReport, describeRun, newestReport, verdictOf } from '../harness/report.ts';
import { comparisonRow, goalCells, peersSection } from '../peers/comparison.ts';
import { ADDED_ALONE, metricName, PEAK } from '../peers/figures.ts';
import { LITELLM } from '../peers/litellm.ts';
import { OURS } from '../peers/ours.ts';
import { PORTKEY } from '../peers/portkey.ts';
import { staleness } from './measured-code.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');
const RESULTS = join(import.meta.dirname, '..', 'results');

/** The rows of the table of own values: title, bench, name of the value in its results. */
const OWN_VALUES = [
  ['Rounds of database requests before the upstream is called', 'ledger', 'endpoint: before the upstream'],
  ['The same with an `Idempotency-Key`', 'ledger', 'endpoint, with an Idempotency-Key: before the upstream'],
  [
    "Rounds between the upstream's last byte and the end of the response",
    'ledger',
    'endpoint: after the upstream',
  ],
  ['Database writes of a call', 'ledger', 'endpoint: a call'],
  ['The same next to 2,048 open calls', 'ledger', '2048 open: a call'],
  ['Database writes of a rejected call', 'ledger', 'ledger: refused by its key, first time'],
  ['The same, repeated', 'ledger', 'ledger: refused by its key, remembered'],
  ['CPU of the service in a chat call, without requests and fetch', 'ledger', 'endpoint: own CPU a call'],
  ['CPU of a chat call in all', 'ledger', 'endpoint: CPU a call in all'],
  ['CPU of a streamed chunk, chat over an OpenAI route', 'stream', 'chat over openai: CPU a chunk'],
  ['The same, Messages over an OpenAI route', 'stream', 'messages over openai: CPU a chunk'],
  ['Latency added to the first content of a stream', 'stream', 'added to it, money on, median'],
  ['Bundle of the chat function', 'bundles', 'create-chat-completion: bundle'],
  ['Its init', 'bundles', 'create-chat-completion: init'],
  ['`npm start` to ready, fresh checkout', 'start', 'start: on a fresh checkout'],
  ['The same, nothing to build', 'start', 'start: nothing to build'],
] as const;

/** The titles of the goals of the comparison, in the README and for operators. */
const GOALS = {
  'goal: first token added, streamed, money on': 'Latency added to a streamed call',
  'goal: added to a whole answer, money on': 'Latency added to a call that is not streamed',
  'goal: added to a whole answer, ledger off': 'Latency added to that call without the wallet',
  'goal: most calls a second, streamed, money on': 'Streamed calls a second',
  'goal: most calls a second, whole answers, money on': 'Other calls a second',
};

const COMPARED = [
  ['Latency added to a streamed chat call, p50', 'chat streamed', ADDED_ALONE, 'ms'],
  ['Latency added to a chat call, p50', 'chat', ADDED_ALONE, 'ms'],
  ['Maximum streamed chat calls a second', 'chat streamed', PEAK, '/s'],
  ['Maximum chat calls a second', 'chat', PEAK, '/s'],
] as const;

const SHOWN_BENCHES = [...new Set(OWN_VALUES.map(([, bench]) => bench)), 'peers'];

function newest(bench: string): DatedReport {
  const report = newestReport(RESULTS, bench);
  if (report === undefined) throw new Error(`there is no result of ${bench}: npm run bench -- ${bench}`);
  return report;
}

function metricOf(bench: string, name: string) {
  const found = newest(bench).figures.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`the newest result of ${bench} has no "${name}"`);
  return found;
}

const ownValues = () =>
  OWN_VALUES.map(([title, bench, name]) => {
    const metric = metricOf(bench, name);
    const verdict = verdictOf(metric);
    return { title, bench, metric, verdict: /missed|BROKEN/.test(verdict) ? `, **${verdict}**` : '' };
  });

const goals = () =>
  Object.entries(GOALS).map(([name, title]) => [title, ...goalCells(metricOf('peers', name))] as const);

const measured = (): string =>
  markdownTable(
    ['Metric', 'Bench', 'Figure in its results', 'Measured', 'Limit'],
    ownValues().map(({ title, bench, metric, verdict }) => [
      title,
      `\`${bench}\``,
      `\`${metric.name}\``,
      `${metric.value} ${metric.unit}`,
      `${boundsOf(metric) || '-'}${verdict}`,
    ]),
  );

const runs = (): string =>
  markdownTable(
    ['Bench', 'Run'],
    SHOWN_BENCHES.map((bench) => [`\`${bench}\``, describeRun(newest(bench))]),
  );

const compared = (): string =>
  markdownTable(
    ['', 'This service', 'Portkey gateway', 'LiteLLM proxy'],
    COMPARED.map(([title, testCase, measure, unit]) => {
      const name = (contestant: string) => metricName(testCase, measure, contestant);
      return comparisonRow(newest('peers'), title, [OURS, PORTKEY, LITELLM].map(name), unit);
    }),
  );

const missed = (): string =>
  markdownTable(
    ['Metric', 'Measured', 'Goal'],
    [
      ...goals()
        .filter(([, , , verdict]) => verdict !== 'met')
        .map(([title, value, bounds]) => [title, `${value} of ${PORTKEY}'s`, bounds]),
      ...ownValues()
        .filter(({ metric }) => verdictOf(metric) === 'missed')
        .map(({ title, metric }) => [title, `${metric.value} ${metric.unit}`, boundsOf(metric)]),
    ],
  );

const dollars = (usd: number): string => `$${Math.round(usd)}`;
const lambdaUsd = (): string => dollars(total(costOf(USUAL, readMeasured())));
const fargateUsd = (callsPerSecond: number) => (): string =>
  dollars(total(fargateCost({ ...USUAL, callsPerSecond }, readMeasured())));

const block = (write: () => string) => (): string => `\n${write()}\n`;

/** The text between the comments `<!-- name -->` and `<!-- /name -->` of each page. */
const SECTIONS: Readonly<Record<string, Readonly<Record<string, () => string>>>> = {
  'README.md': {
    compared: block(compared),
    goals: block(() =>
      markdownTable([`Goal, as a share of ${PORTKEY}'s`, 'Measured', 'Wanted', ''], goals()),
    ),
    'compared-run': () => newest('peers').date,
  },
  'docs/benchmarks.md': {
    measured: block(measured),
    runs: block(runs),
    peers: block(() => peersSection(newest('peers'))),
  },
  'docs/operate.md': { missed: block(missed), lambda: lambdaUsd, fargate: fargateUsd(10) },
  'docs/operate/hosting.md': { lambda: lambdaUsd, fargate: fargateUsd(10), 'fargate-100': fargateUsd(100) },
  'docs/operate/cost.md': {
    cost: block(() => bill(costOf(USUAL, readMeasured()), '1,000,000 calls')),
    computes: block(() => `${computes(USUAL, readMeasured())}\n\n${breakEvenText(USUAL, readMeasured())}`),
  },
};

function withSection(text: string, [name, write]: readonly [string, () => string]): string {
  const [begin, end] = [`<!-- ${name} -->`, `<!-- /${name} -->`];
  const [start, stop] = [text.indexOf(begin), text.indexOf(end)];
  if (start < 0 || stop < start) throw new Error(`there is no section ${begin}`);
  return text.slice(0, start + begin.length) + write() + text.slice(stop);
}

/** Returns every page with measured values, and its text with those of the newest results. */
export const pagesWithFigures = (): readonly (readonly [page: string, text: string])[] =>
  Object.entries(SECTIONS).map(([page, sections]) => [
    page,
    Object.entries(sections).reduce(withSection, readFileSync(join(ROOT, page), 'utf8')),
  ]);

export function writePages(): void {
  for (const [page, text] of pagesWithFigures()) writeFileSync(join(ROOT, page), text);
}

/** Returns a line for each result in the documentation whose measured code has changed too much since. */
export async function staleResults(): Promise<readonly string[]> {
  const lines = await Promise.all(SHOWN_BENCHES.map((bench) => staleness(newest(bench))));
  return lines.filter((line) => line !== undefined);
}
