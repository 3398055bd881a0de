/**
 * The search for a text that undercuts a bound: from many kinds of texts, changed at random, keeping what brings the
 * count closer to the bound. Seeded, so that what it finds can be found again.
 */
import { boundTokens } from '../../../lambdas/inference/core/metering/token-bound.ts';
import { below, type Chance, FAMILIES, pick, script, type TextGenerator } from './families.ts';
import type { Vocabulary } from './vocabularies.ts';

export const FAMILY_NAMES: readonly string[] = Object.keys(FAMILIES);

/** The worst text found, and how many times its bound the worst tokenizer counted. */
export interface Finding {
  readonly family: string;
  readonly text: string;
  readonly tokenizer: string;
  readonly tokens: number;
  readonly bound: number;
  readonly times: number;
}

export interface Search {
  readonly bound: (text: string) => number;
  readonly vocabularies: readonly Vocabulary[];
  readonly chance: Chance;
  /** Texts that are tried, of each family. */
  readonly attempts: number;
}

/** A climb ends, and another begins, after this many tries in a row that were no better. */
const RETRIES = 60;
const MAX_FRAGMENTS = 24;

/** Repeats what is short, so that what is added once for a text does not hide it. */
const SHORT = 40;

/** The worst that is found in one family. */
export function climb(family: string, { bound, vocabularies, chance, attempts }: Search): Finding {
  const generator = FAMILIES[family] ?? script;
  const weigh = (fragments: readonly string[]): Finding => {
    const once = fragments.join('');
    const text = once.repeat(Math.max(1, Math.ceil(SHORT / Math.max(1, once.length))));
    const limit = bound(text);
    const counts = vocabularies.map((vocabulary) => vocabulary.count(text));
    const tokens = Math.max(...counts);
    const tokenizer = vocabularies[counts.indexOf(tokens)]?.name ?? '';
    return { family, text, tokenizer, tokens, bound: limit, times: tokens / Math.max(1, limit) };
  };
  const anew = () => Array.from({ length: 1 + below(chance, MAX_FRAGMENTS) }, () => generator(chance));
  let fragments = anew();
  let [here, worst] = [weigh(fragments), weigh(fragments)];
  let idle = 0;
  for (let attempt = 1; attempt < attempts; attempt += 1) {
    const fresh = idle > RETRIES;
    const changed = fresh ? anew() : change(fragments, generator, chance);
    const there = weigh(changed);
    idle = there.times > here.times ? 0 : fresh ? 0 : idle + 1;
    if (fresh || there.times >= here.times) [fragments, here] = [changed, there];
    if (there.times > worst.times) worst = there;
  }
  return worst;
}

/** The pieces with one put in, taken out, replaced, moved or doubled. */
function change(fragments: readonly string[], generator: TextGenerator, chance: Chance): string[] {
  const at = below(chance, fragments.length);
  const changed = [...fragments];
  const how = below(chance, 6);
  if (how === 0 && fragments.length > 1) changed.splice(at, 1);
  else if (how === 1 && fragments.length < MAX_FRAGMENTS) changed.splice(at, 0, generator(chance));
  else if (how === 2) changed.splice(at, 0, ...changed.splice(below(chance, fragments.length), 1));
  else if (how === 3 && fragments.length < MAX_FRAGMENTS) changed.splice(at, 0, pick(chance, fragments));
  else changed[at] = generator(chance);
  return changed;
}

/** The least sum of the bounds of two parts of the text, of any two: as if it came as two messages. */
export function boundParts(text: string): number {
  let minFinding = boundTokens(text) + 1;
  for (let at = 1; at < text.length; at += 1)
    minFinding = Math.min(minFinding, boundTokens(text.slice(0, at)) + boundTokens(text.slice(at)));
  return minFinding;
}
