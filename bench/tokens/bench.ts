/** What the bound on tokens is worth: whether a search undercuts it, how far above honest text it is, what it costs. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build } from 'esbuild';
import { boundTokens, mostTokens } from '../../lambdas/core/inference/metering/token-bound.ts';
import { BUNDLING } from '../../lib/bundle.ts';
import type { Figure } from '../harness/report.ts';
import { seeded } from '../harness/seeded.ts';
import { median } from '../harness/statistics.ts';
import { boundTokens as formerRule } from './former-rule.ts';
import { CODE, ENGLISH_CHAT, PROSE } from './honest.ts';
import { boundParts, climb, FAMILY_NAMES, type Finding } from './search.ts';
import { SPEED_TEXTS } from './speed-texts.ts';
import { loadAll, type Vocabulary } from './vocabularies.ts';

const run = promisify(execFile);

/** Texts that are tried, of each family; `BENCH_TRIES` sets another number, `BENCH_SEED` another beginning. */
const TRIES = Number(process.env.BENCH_TRIES ?? 600);
const SEED = Number(process.env.BENCH_SEED ?? 1);

/** More than this an honest text may not be held for. */
const MOST_TIMES = 3;

/** So much dearer than before may a conversation in English be. */
const MOST_TIMES_FORMER = 1.2;

/** The share of a cold start and of the bundle that the table may take. */
const LOAD_MS = 20;
const TABLE_KB = 150;

const STARTS = 7;

export async function measureTokens(): Promise<readonly Figure[]> {
  const vocabularies = await loadAll();
  return [
    ...searchFigures(vocabularies),
    ...Object.entries({ ...PROSE, ...CODE }).flatMap(([name, text]) =>
      ratioFigures(name, text, vocabularies),
    ),
    chatFigure(),
    ...Object.entries(SPEED_TEXTS).flatMap(([name, text]) => speedFigures(name, text)),
    ...(await loadFigures()),
  ];
}

function searchFigures(vocabularies: readonly Vocabulary[]): readonly Figure[] {
  const found = (rule: (text: string) => number, tries: number): readonly Finding[] =>
    FAMILY_NAMES.map((family, index) =>
      climb(family, {
        ...{ bound: rule, vocabularies, chance: seeded(SEED * 1_000 + index), tries },
      }),
    );
  const worstOf = (findings: readonly Finding[]) =>
    findings.reduce((worst, finding) => (finding.times > worst.times ? finding : worst));
  const described = ({ family, text, tokenizer, tokens, bound }: Finding) =>
    `${family}, ${tokenizer}: ${tokens} tokens of ${JSON.stringify(text.slice(0, 60))}, bound ${bound}`;
  const now = worstOf(found(boundTokens, TRIES));
  const cut = worstOf(found(boundParts, Math.ceil(TRIES / 10)));
  const former = worstOf(found(formerRule, Math.ceil(TRIES / 10)));
  const searched = `${FAMILY_NAMES.length} families, ${TRIES} texts each, ${vocabularies.length} tokenizers`;
  return [
    {
      ...{ name: 'worst count a search finds', value: now.times, unit: 'times the bound', most: 1 },
      note: `${searched}; ${described(now)}`,
    },
    {
      ...{
        name: 'the same beside the bounds of two parts',
        value: cut.times,
        unit: 'times their sum',
        most: 1,
      },
      note: `a tenth of the texts, each cut wherever it is worst; ${described(cut)}`,
    },
    {
      ...{ name: 'the same with the former rule', value: former.times, unit: 'times its bound', least: 2 },
      note: `the control, a tenth of the texts; ${described(former)}`,
    },
  ];
}

function ratioFigures(name: string, text: string, vocabularies: readonly Vocabulary[]): readonly Figure[] {
  const counts = vocabularies.map((vocabulary) => vocabulary.count(text));
  const most = Math.max(...counts);
  const bound = boundTokens(text);
  return [
    {
      ...{ name: `${name}: bound`, value: bound / most, unit: 'times the largest count' },
      ...{ least: 1, most: MOST_TIMES, note: vocabularies[counts.indexOf(most)]?.name ?? '' },
    },
    { name: `${name}: bound beside o200k`, value: bound / (counts[0] ?? 1), unit: 'times its count' },
  ];
}

function chatFigure(): Figure {
  const sum = (rule: (text: string) => number) =>
    ENGLISH_CHAT.reduce((tokens, text) => tokens + rule(text), 0);
  return {
    ...{ name: 'English conversations', value: sum(boundTokens) / sum(formerRule), most: MOST_TIMES_FORMER },
    unit: 'times the former rule',
  };
}

/** The best of several rounds, in CPU time: other work on the machine only adds. */
function megabytesPerSecond(rule: (text: string) => number, text: string): number {
  const bytes = Buffer.byteLength(text);
  const times = Math.max(1, Math.ceil(2e6 / bytes));
  let bestUs = Number.POSITIVE_INFINITY;
  for (let round = 0; round < 7; round += 1) {
    const before = process.cpuUsage();
    for (let time = 0; time < times; time += 1) rule(text);
    bestUs = Math.min(bestUs, process.cpuUsage(before).user / times);
  }
  return bytes / Math.max(1, bestUs);
}

const speedFigures = (name: string, text: string): readonly Figure[] => [
  { name: `${name}: bound`, value: megabytesPerSecond(boundTokens, text), unit: 'MB a CPU second' },
  { name: `${name}: former rule`, value: megabytesPerSecond(formerRule, text), unit: 'MB a CPU second' },
  { name: `${name}: most tokens`, value: megabytesPerSecond(mostTokens, text), unit: 'MB a CPU second' },
];

async function loadFigures(): Promise<readonly Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-tokens-'));
  const outfile = join(folder, 'bound.mjs');
  const { outExtension: _, ...options } = BUNDLING;
  try {
    await build({
      ...{ ...options, outfile, sourcemap: false, metafile: false },
      entryPoints: [join(BUNDLING.absWorkingDir, 'lambdas', 'core', 'inference', 'token-bound.ts')],
    });
    const program = `const before = process.cpuUsage(); await import(${JSON.stringify(outfile)}); console.log(process.cpuUsage(before).user / 1000);`;
    const loadMs: number[] = [];
    for (let start = 0; start < STARTS; start += 1) {
      const { stdout } = await run(process.execPath, ['--input-type=module', '--eval', program]);
      loadMs.push(Number(stdout));
    }
    const { size } = await stat(outfile);
    return [
      { name: 'the bound with its table, bundled', value: size / 1e3, unit: 'KB', most: TABLE_KB },
      { name: 'CPU of loading it', value: median(loadMs), unit: 'ms', most: LOAD_MS },
    ];
  } finally {
    await rm(folder, { recursive: true });
  }
}
