/** `npm run cost -- --calls 1e6 --seconds 5`: what a month of calls costs, by service. */
import { parseArgs } from 'node:util';
import { METRICS } from '../../lambdas/contract/metrics.ts';
import { fixturesOf } from './fixtures.ts';
import { readMeasured } from './measured.ts';
import { compareMemory, costOf, idleCost, type Line, type Traffic, total } from './model.ts';
import { PRICES } from './prices.ts';

/** A million calls of a chat model: 300 tokens at the pace of a hosted one, with its thinking time. */
export const USUAL: Traffic = { calls: 1e6, seconds: 5, tokens: 300, memoryMb: 512, idempotent: 0 };

const SIZES_MB = [256, 512, 1024, 1769];

function readTraffic(args: readonly string[]): Traffic {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: { calls: option, seconds: option, tokens: option, memory: option, idempotent: option },
  });
  const number = (text: string | undefined, usual: number): number => {
    const value = text === undefined ? usual : Number(text);
    if (!Number.isFinite(value) || value < 0) throw new Error(`"${text}" is not a number of 0 or more`);
    return value;
  };
  return {
    calls: number(values.calls, USUAL.calls),
    seconds: number(values.seconds, USUAL.seconds),
    tokens: number(values.tokens, USUAL.tokens),
    memoryMb: number(values.memory, USUAL.memoryMb),
    idempotent: number(values.idempotent, USUAL.idempotent),
  };
}

const dollars = (usd: number): string => `$${usd.toFixed(2)}`;

function markdown(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
  return [row(head), row(head.map(() => '---')), ...rows.map(row)].join('\n');
}

/** A bill as a Markdown table, with its total. */
export const bill = (lines: readonly Line[], of: string): string =>
  markdown(
    ['Service', of, 'How'],
    [
      ...lines.map(({ service, usd, how }) => [service, dollars(usd), how]),
      ['**together**', `**${dollars(total(lines))}**`, ''],
    ],
  );

async function main(args: readonly string[]): Promise<void> {
  const { synthesizedTemplates } = await import('./templates.ts');
  const traffic = readTraffic(args);
  const measured = readMeasured();
  console.log(bill(costOf(traffic, measured), `${traffic.calls.toLocaleString('en')} calls`), '\n');
  const fixtures = fixturesOf(synthesizedTemplates(), Object.keys(METRICS).length);
  console.log(bill(idleCost(fixtures), 'a month, idle'), '\n');
  const sizes = compareMemory(traffic, measured, SIZES_MB).map(({ memoryMb, usd, initMs, ownMs }) => [
    `${memoryMb} MB`,
    dollars(usd),
    `${Math.round(initMs)} ms`,
    `${ownMs.toFixed(1)} ms`,
  ]);
  console.log(markdown(['Memory', 'Lambda', 'cold start, ours', 'added to a warm call'], sizes), '\n');
  for (const { usd, per, source, read } of Object.values(PRICES))
    console.log(`  $${usd} a ${per} (${source}, ${read})`);
}

if (import.meta.main) await main(process.argv.slice(2));
