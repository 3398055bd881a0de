/** The tables of measured values in the documentation, from the newest results. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fargateCost } from '../cost/computes.ts';
import { market, payoutFees, readMarketUnits } from '../cost/market.ts';
import { readMeasured } from '../cost/measured.ts';
import { costOf, total } from '../cost/model.ts';
import { USUAL } from '../cost/run.ts';
import { bill, breakEvenText, computes, prompts, routeMetrics } from '../cost/tables.ts';
import { markdownTable } from '../harness/markdown.ts';
import { boundsOf, describeRun, verdictOf } from '../harness/report.ts';
import { resultMetric, resultOf } from '../harness/results.ts';
import { goalCells, peersSection, shown } from '../peers/comparison.ts';
import { ADDED_ALONE, metricName } from '../peers/figures.ts';
import { LITELLM } from '../peers/litellm.ts';
import { OURS } from '../peers/ours.ts';
import { PORTKEY } from '../peers/portkey.ts';
import { soakSection } from '../soak/section.ts';
import { staleness } from './measured-code.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..');

/** The titles of the goals of the comparison, for operators. */
const GOALS: Readonly<Record<string, string>> = {
  'goal: first token added, streamed, money on': 'Latency added to a streamed call',
  'goal: added to a whole answer, money on': 'Latency added to a call that is not streamed',
  'goal: added to a whole answer, ledger off': 'Latency added to that call without the wallet',
  'goal: most calls a second, streamed, money on': 'Streamed calls a second',
  'goal: most calls a second, whole answers, money on': 'Other calls a second',
};

const readPage = (page: string): string => readFileSync(join(ROOT, page), 'utf8');

/** The rows of the table of own values, which name the bench and the value in its results. */
const ownValues = () =>
  [...readPage('docs/benchmarks.md').matchAll(/^\| (.+) \| `([\w-]+)` \| `(.+)` \|.*\|.*\|$/gm)].map(
    ([, title = '', bench = '', name = '']) => {
      const metric = resultMetric(bench, name);
      return { title, bench, metric, measured: `${metric.value} ${metric.unit}`, verdict: verdictOf(metric) };
    },
  );

const shownBenches = () => [...new Set(ownValues().map(({ bench }) => bench)), 'peers'];

const goals = () =>
  resultOf('peers')
    .figures.filter(({ name }) => name in GOALS)
    .map((metric) => [GOALS[metric.name] ?? '', ...goalCells(metric)] as const);

const ownTable = (): string =>
  markdownTable(
    ['Metric', 'Bench', 'Figure in its results', 'Measured', 'Limit'],
    ownValues().map(({ title, bench, metric, measured, verdict }) => {
      const failure = /missed|BROKEN/.test(verdict) ? `, **${verdict}**` : '';
      return [title, `\`${bench}\``, `\`${metric.name}\``, measured, (boundsOf(metric) || '-') + failure];
    }),
  );

const runs = (): string =>
  markdownTable(
    ['Bench', 'Run'],
    shownBenches().map((bench) => [`\`${bench}\``, describeRun(resultOf(bench))]),
  );

/** The latency that one of those that are compared adds to a streamed chat call. */
const addedStreamed = (contestant: string) => (): string =>
  shown(resultOf('peers'), metricName('chat streamed', ADDED_ALONE, contestant), 'ms');

const missed = (): string =>
  markdownTable(
    ['Metric', 'Measured', 'Goal'],
    [
      ...goals()
        .filter(([, , , verdict]) => verdict !== 'met')
        .map(([title, value, bounds]) => [title, `${value} of ${PORTKEY}'s`, bounds]),
      ...ownValues()
        .filter(({ verdict }) => verdict === 'missed')
        .map(({ title, metric, measured }) => [title, measured, boundsOf(metric)]),
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
    'added-streamed': addedStreamed(OURS),
    'added-streamed-portkey': addedStreamed(PORTKEY),
    'added-streamed-litellm': addedStreamed(LITELLM),
  },
  'docs/benchmarks.md': {
    measured: block(ownTable),
    runs: block(runs),
    peers: block(() => peersSection(resultOf('peers'))),
    soak: block(() => soakSection(resultOf('soak'))),
  },
  'docs/operate.md': { missed: block(missed), lambda: lambdaUsd, fargate: fargateUsd(10) },
  'docs/operate/hosting.md': { lambda: lambdaUsd, fargate: fargateUsd(10), 'fargate-100': fargateUsd(100) },
  'docs/operate/cost.md': {
    cost: block(() => bill(costOf(USUAL, readMeasured()), '1,000,000 calls')),
    prompts: block(() => prompts(USUAL)),
    'route-metrics': routeMetrics,
    market: block(() => market(readMarketUnits())),
    'payout-fees': payoutFees,
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
    Object.entries(sections).reduce(withSection, readPage(page)),
  ]);

export function writePages(): void {
  for (const [page, text] of pagesWithFigures()) writeFileSync(join(ROOT, page), text);
}

/** Returns a line for each result in the documentation whose measured code has changed too much since. */
export async function staleResults(): Promise<readonly string[]> {
  const lines = await Promise.all(shownBenches().map((bench) => staleness(resultOf(bench))));
  return lines.filter((line) => line !== undefined);
}
