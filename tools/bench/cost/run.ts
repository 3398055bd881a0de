/** `CONFIG=settings.json npm run cost -- --calls 1e6`: the cost of a month of calls on each compute, and of the settings idle. */
import { parseArgs } from 'node:util';
import { fixturesOf } from './fixtures.ts';
import { market, payoutFees, readMarketUnits } from './market.ts';
import { readMeasured } from './measured.ts';
import { costOf, idleCost, type MonthlyTraffic } from './model.ts';
import { PRICES } from './prices.ts';
import { bill, breakEvenText, computes, routeMetrics } from './tables.ts';

/** A million calls of a chat model: 300 tokens at the pace of a hosted one, with its thinking time, ten a second. */
export const USUAL: MonthlyTraffic = {
  calls: 1e6,
  seconds: 5,
  tokens: 300,
  memoryMb: 512,
  idempotent: 0,
  callsPerSecond: 10,
  promptBytes: 2_000,
  capped: 0,
};

/** The options, and the fields that they set. */
const OPTIONS = {
  calls: 'calls',
  seconds: 'seconds',
  tokens: 'tokens',
  memory: 'memoryMb',
  idempotent: 'idempotent',
  rate: 'callsPerSecond',
  prompt: 'promptBytes',
  capped: 'capped',
} as const satisfies Record<string, keyof MonthlyTraffic>;

function readTraffic(args: string[]): MonthlyTraffic {
  const names = Object.keys(OPTIONS) as (keyof typeof OPTIONS)[];
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]));
  const { values } = parseArgs({ args, options });
  const set = names.flatMap((name) => {
    if (values[name] === undefined) return [];
    const value = Number(values[name]);
    if (!Number.isFinite(value) || value < 0) throw new Error(`--${name} must be a number of 0 or more`);
    return [[OPTIONS[name], value] as const];
  });
  const traffic = { ...USUAL, ...Object.fromEntries(set) };
  if (traffic.callsPerSecond === 0) throw new Error('--rate must be more than 0 calls a second');
  return traffic;
}

async function main(args: string[]): Promise<void> {
  const { synthesizedTemplates } = await import('./templates.ts');
  const traffic = readTraffic(args);
  const measured = readMeasured();
  console.log(bill(costOf(traffic, measured), `${traffic.calls.toLocaleString('en')} calls`), '\n');
  console.log(computes(traffic, measured), '\n');
  console.log(breakEvenText(traffic, measured), '\n');
  console.log(`Metrics of a route that is called: ${routeMetrics()} a month\n`);
  console.log(market(readMarketUnits()), '\n');
  console.log(`Payouts, Stripe Connect: ${payoutFees()}\n`);
  console.log(bill(idleCost(fixturesOf(synthesizedTemplates(process.env.CONFIG))), 'a month, idle'), '\n');
  for (const { usd, per, source } of Object.values(PRICES))
    console.log(`  $${usd} a ${per} (aws.amazon.com/${source})`);
}

if (import.meta.main) void main(process.argv.slice(2));
