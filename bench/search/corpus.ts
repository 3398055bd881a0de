/** Listings as a market of 50,000 might have them: words by Zipf's law, the same at every run. */
import type { SearchDocument } from '../../lambdas/core/listings/discovery/search-index.ts';

const SYLLABLES = 'ka lo mi ter ran so ven dra qui pol ish ment tor bel cas dun fer gol hex jun'.split(' ');
const CATEGORIES = 20;
const VOCABULARY = 20_000;

/** Words of a name, of the tags, of a summary and of the part of a description that is indexed. */
const LENGTHS = { name: 3, tags: 4, summary: 12, description: 40 };

/** A linear congruential generator (Numerical Recipes, chapter 7.1): the same numbers at every run. */
function createRandom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state * 1_664_525 + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

export interface Corpus {
  readonly documents: readonly SearchDocument[];
  /** Queries of one to three of the corpus's words. */
  readonly queries: readonly string[];
}

export function makeCorpus(size: number, queries: number): Corpus {
  const random = createRandom(42);
  const below = (count: number) => Math.floor(random() * count);
  const vocabulary = Array.from({ length: VOCABULARY }, () =>
    Array.from({ length: 2 + below(3) }, () => SYLLABLES[below(SYLLABLES.length)]).join(''),
  );
  // A few words are in most texts, and most words in few.
  const word = () => vocabulary[Math.floor(VOCABULARY * random() ** 3)] ?? '';
  const words = (count: number) => Array.from({ length: count }, word).join(' ');
  const documents = Array.from(
    { length: size },
    (_, index): SearchDocument => ({
      id: `lst_${String(index).padStart(26, '0')}`,
      kind: index % 3 === 0 ? 'ai-agent' : 'app',
      category: `category ${index % CATEGORIES}`,
      revision: 1,
      name: words(LENGTHS.name),
      tags: words(LENGTHS.tags),
      summary: words(LENGTHS.summary),
      description: words(LENGTHS.description),
    }),
  );
  return { documents, queries: Array.from({ length: queries }, () => words(1 + below(3))) };
}
