/** `npm run cost -- --calls 1e6 --seconds 5`: what a month of calls costs, by service, and on each compute. */
import { parseArgs } from 'node:util';
import type { HostTraffic } from './computes.ts';
import { fixturesOf } from './fixtures.ts';
import { readMeasured } from './measured.ts';
import { compareMemory, costOf, idleCost, settlementCost } from './model.ts';
import { PRICES } from './prices.ts';
import { smokeCost } from './smoke.ts';
import { bill, breakEvenText, computes, dollars, markdown } from './tables.ts';

/** A million calls of a chat model: 300 tokens at the pace of a hosted one, with its thinking time, ten a second. */
export const USUAL: HostTraffic = {
  calls: 1e6,
  seconds: 5,
  tokens: 300,
  memoryMb: 512,
  idempotent: 0,
  callsPerSecond: 10,
};

const SIZES_MB = [256, 512, 1024, 1769];

function readTraffic(args: readonly string[]): HostTraffic {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({
    args: [...args],
    options: {
      calls: option,
      seconds: option,
      tokens: option,
      memory: option,
      idempotent: option,
      rate: option,
      smoke: option,
    },
  });
  const number = (text: string | undefined, usual: number): number => {
    const value = text === undefined ? usual : Number(text);
    if (!Number.isFinite(value) || value < 0) throw new Error(`"${text}" is not a number of 0 or more`);
    return value;
  };
  const callsPerSecond = number(values.rate, USUAL.callsPerSecond);
  if (callsPerSecond === 0) throw new Error('--rate must be more than 0 calls a second');
  return {
    calls: number(values.calls, USUAL.calls),
    seconds: number(values.seconds, USUAL.seconds),
    tokens: number(values.tokens, USUAL.tokens),
    memoryMb: number(values.memory, USUAL.memoryMb),
    idempotent: number(values.idempotent, USUAL.idempotent),
    callsPerSecond,
  };
}

/** The settings whose idle deployment is counted; `--smoke 5` has it call itself every five minutes. */
function idleSettings(args: readonly string[]): {
  readonly smoke: number | undefined;
  readonly idle: object;
} {
  const at = args.indexOf('--smoke');
  const smoke = at === -1 ? undefined : Number(args[at + 1]);
  return { smoke, idle: smoke === undefined ? {} : { smoke: { everyMinutes: smoke } } };
}

async function main(args: readonly string[]): Promise<void> {
  const { synthesizedTemplates } = await import('./templates.ts');
  const traffic = readTraffic(args);
  const measured = readMeasured();
  console.log(bill(costOf(traffic, measured), `${traffic.calls.toLocaleString('en')} calls`), '\n');
  console.log(computes(traffic, measured), '\n');
  console.log(bill([settlementCost(traffic.calls)], 'their settlement, if they are transcriptions'), '\n');
  console.log(breakEvenText(traffic, measured), '\n');
  const { smoke, idle } = idleSettings(args);
  const fixtures = fixturesOf(synthesizedTemplates(idle));
  const lines = [...idleCost(fixtures), ...(smoke === undefined ? [] : smokeCost(smoke, measured))];
  console.log(bill(lines, 'a month, idle'), '\n');
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

if (import.meta.main) void main(process.argv.slice(2));
