/** The cost model's results as Markdown. */

import { markdownTable } from '../harness/markdown.ts';
import { apart, breakEven, fargateCost, tasksAt } from './computes.ts';
import {
  type CostLine,
  costOf,
  type MonthlyTraffic,
  promptsOut,
  type ResourceUse,
  ROUTE_METRICS,
  total,
} from './model.ts';
import { PRICES } from './prices.ts';

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

/** A bill as a table, with its total. */
export const bill = (lines: readonly CostLine[], of: string): string =>
  markdownTable(
    ['Service', of, 'How'],
    [
      ...lines.map(({ service, usd, how }) => [service, dollars(usd), how]),
      ['**together**', `**${dollars(total(lines))}**`, ''],
    ],
  );

/** Calls a second at which Fargate's fixed hours are shared out. */
const RATES = [1, 3, 10, 30, 100];

/** The computes beside each other, data out apart. */
export function computes(traffic: MonthlyTraffic, measured: ResourceUse): string {
  const row = (name: string, lines: readonly CostLine[]) => {
    const { rest, dataOut } = apart(lines);
    return [name, dollars(rest), dollars(dataOut), dollars(rest + dataOut)];
  };
  const onFargate = [...new Set([...RATES, traffic.callsPerSecond])].sort((one, other) => one - other);
  return markdownTable(
    ['Compute', 'without data out', 'data out', 'together'],
    [
      row('`lambda`, at any rate', costOf(traffic, measured)),
      ...onFargate.map((callsPerSecond) =>
        row(
          `\`fargate\`, ${callsPerSecond} a second on ${tasksAt(callsPerSecond, traffic, measured)} tasks`,
          fargateCost({ ...traffic, callsPerSecond }, measured),
        ),
      ),
    ],
  );
}

/** Sizes of prompts, in KB: a short conversation, an agent's, and one that fills a long context. */
const PROMPT_KB = [2, 100, 400];

/** The cost of the prompts of a million calls, which depends on their size alone. */
export const prompts = (traffic: MonthlyTraffic): string =>
  markdownTable(
    ['Prompt', '1,000,000 calls'],
    PROMPT_KB.map((kilobytes) => {
      const { usd } = promptsOut({ ...traffic, calls: 1e6, promptBytes: kilobytes * 1_000 });
      return [`${kilobytes} KB`, dollars(usd)];
    }),
  );

/** The cost of the metrics of routes that are called in every hour. */
export const routeMetrics = (): string => {
  const { least, most } = ROUTE_METRICS;
  return `${dollars(least * PRICES.metricMonth.usd)} to ${dollars(most * PRICES.metricMonth.usd)}`;
};

/** From which rate on Fargate is cheaper, in a sentence. */
export function breakEvenText(traffic: MonthlyTraffic, measured: ResourceUse): string {
  const rate = breakEven(traffic, measured);
  if (rate === undefined) return 'Fargate is not cheaper than Lambda for these calls at any rate.';
  const month = (rate * 30 * 24 * 3600) / 1e6;
  return (
    `Fargate is cheaper than Lambda from ${rate.toFixed(2)} calls of ${traffic.seconds} s a second, day and night ` +
    `(${month.toFixed(1)} million a month).`
  );
}
