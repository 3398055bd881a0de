/** The quality of the bound on tokens: the result of a search for texts above it, and its distance from honest text. */
import { boundTokens } from '../../../lambdas/inference/core/metering/token-bound.ts';
import type { Figure } from '../harness/report.ts';
import { seeded } from '../harness/seeded.ts';
import { CODE, PROSE } from './honest.ts';
import { boundParts, climb, FAMILY_NAMES, type Finding } from './search.ts';
import { loadAll, type Vocabulary } from './vocabularies.ts';

/** Texts that are tried, of each family; `BENCH_TRIES` sets another number, `BENCH_SEED` another beginning. */
const TRIES = Number(process.env.BENCH_TRIES ?? 600);
const SEED = Number(process.env.BENCH_SEED ?? 1);

/** More than this an honest text may not be held for. */
const MOST_TIMES = 3;

/** The control: a common estimate, which a search must undercut. */
const aQuarter = (text: string): number => Math.ceil(text.length / 4);

export async function measureTokens(): Promise<readonly Figure[]> {
  const vocabularies = await loadAll();
  return [
    ...searchFigures(vocabularies),
    ...Object.entries({ ...PROSE, ...CODE }).flatMap(([name, text]) =>
      ratioFigures(name, text, vocabularies),
    ),
  ];
}

function searchFigures(vocabularies: readonly Vocabulary[]): readonly Figure[] {
  const found = (rule: (text: string) => number, tries: number): readonly Finding[] =>
    FAMILY_NAMES.map((family, index) =>
      climb(family, {
        bound: rule,
        vocabularies,
        chance: seeded(SEED * 1_000 + index),
        tries,
      }),
    );
  const worstOf = (findings: readonly Finding[]) =>
    findings.reduce((worst, finding) => (finding.times > worst.times ? finding : worst));
  const described = ({ family, text, tokenizer, tokens, bound }: Finding) =>
    `${family}, ${tokenizer}: ${tokens} tokens of ${JSON.stringify(text.slice(0, 60))}, bound ${bound}`;
  const now = worstOf(found(boundTokens, TRIES));
  const cut = worstOf(found(boundParts, Math.ceil(TRIES / 10)));
  const control = worstOf(found(aQuarter, Math.ceil(TRIES / 10)));
  const searched = `${FAMILY_NAMES.length} families, ${TRIES} texts each, ${vocabularies.length} tokenizers`;
  return [
    {
      name: 'worst count a search finds',
      value: now.times,
      unit: 'times the bound',
      most: 1,
      note: `${searched}; ${described(now)}`,
    },
    {
      name: 'the same beside the bounds of two parts',
      value: cut.times,
      unit: 'times their sum',
      most: 1,
      note: `a tenth of the texts, each cut wherever it is worst; ${described(cut)}`,
    },
    {
      name: 'the same with a token for four characters',
      value: control.times,
      unit: 'times it',
      least: 2,
      note: `the control, a tenth of the texts; ${described(control)}`,
    },
  ];
}

function ratioFigures(name: string, text: string, vocabularies: readonly Vocabulary[]): readonly Figure[] {
  const counts = vocabularies.map((vocabulary) => vocabulary.count(text));
  const most = Math.max(...counts);
  const bound = boundTokens(text);
  return [
    {
      name: `${name}: bound`,
      value: bound / most,
      unit: 'times the largest count',
      least: 1,
      most: MOST_TIMES,
      note: vocabularies[counts.indexOf(most)]?.name ?? '',
    },
    { name: `${name}: bound beside o200k`, value: bound / (counts[0] ?? 1), unit: 'times its count' },
  ];
}
