/** The quality of the bound on tokens: the result of a search for texts above it, and its distance from honest text. */
import { boundTokens } from '../../../lambdas/inference/core/metering/token-bound.ts';
import { seeded } from '../../test-kit/seeded.ts';
import type { BenchMetric } from '../harness/report.ts';
import { CODE, PROSE } from './honest.ts';
import { boundParts, climb, FAMILY_NAMES, type Finding } from './search.ts';
import { loadAll, type Vocabulary } from './vocabularies.ts';

/** Texts that are tried, of each family; `BENCH_TRIES` sets another number, `BENCH_SEED` another beginning. */
const ATTEMPTS = Number(process.env.BENCH_TRIES ?? 600);
const SEED = Number(process.env.BENCH_SEED ?? 1);

/** More than this an honest text may not be held for. */
const MAX_RATIO = 3;

/** The control: a common estimate, which a search must undercut. */
const aQuarter = (text: string): number => Math.ceil(text.length / 4);

export async function measureTokens(): Promise<readonly BenchMetric[]> {
  const vocabularies = await loadAll();
  return [
    ...searchMetrics(vocabularies),
    ...Object.entries({ ...PROSE, ...CODE }).flatMap(([name, text]) =>
      ratioMetrics(name, text, vocabularies),
    ),
  ];
}

function searchMetrics(vocabularies: readonly Vocabulary[]): readonly BenchMetric[] {
  const searchFor = (rule: (text: string) => number, attempts: number): readonly Finding[] =>
    FAMILY_NAMES.map((family, index) =>
      climb(family, {
        bound: rule,
        vocabularies,
        chance: seeded(SEED * 1_000 + index),
        attempts,
      }),
    );
  const worstOf = (findings: readonly Finding[]) =>
    findings.reduce((worst, finding) => (finding.times > worst.times ? finding : worst));
  const described = ({ family, text, tokenizer, tokens, bound }: Finding) =>
    `${family}, ${tokenizer}: ${tokens} tokens of ${JSON.stringify(text.slice(0, 60))}, bound ${bound}`;
  const now = worstOf(searchFor(boundTokens, ATTEMPTS));
  const cut = worstOf(searchFor(boundParts, Math.ceil(ATTEMPTS / 10)));
  const control = worstOf(searchFor(aQuarter, Math.ceil(ATTEMPTS / 10)));
  const searched = `${FAMILY_NAMES.length} families, ${ATTEMPTS} texts each, ${vocabularies.length} tokenizers`;
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

function ratioMetrics(
  name: string,
  text: string,
  vocabularies: readonly Vocabulary[],
): readonly BenchMetric[] {
  const counts = vocabularies.map((vocabulary) => vocabulary.count(text));
  const maxTokens = Math.max(...counts);
  const bound = boundTokens(text);
  return [
    {
      name: `${name}: bound`,
      value: bound / maxTokens,
      unit: 'times the largest count',
      least: 1,
      most: MAX_RATIO,
      note: vocabularies[counts.indexOf(maxTokens)]?.name ?? '',
    },
    { name: `${name}: bound beside o200k`, value: bound / (counts[0] ?? 1), unit: 'times its count' },
  ];
}
