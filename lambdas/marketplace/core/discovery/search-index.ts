/** Full-text search over listings, in memory: by relevance, with typing errors forgiven where nothing else fits. */
import MiniSearch, { type Options, type SearchOptions, type SearchResult } from 'minisearch';
import type { Listing, ListingKind } from '../listings/listing.ts';

/**
 * The maximum length of a description in the index. Its first sentences describe the listing, and the complete text
 * would take nine tenths of the index.
 */
const DESCRIPTION_CHARACTERS = 300;

/** The fields of a listing that are used for searches and filters. */
export interface SearchDocument {
  readonly id: string;
  readonly kind: ListingKind;
  readonly category: string;
  readonly ownerId: string;
  readonly revision: number;
  readonly name: string;
  readonly tags: string;
  readonly summary: string;
  readonly description: string;
}

/** A listing that was added, changed or removed. The index ignores a change if it already has a later revision. */
export type IndexChange = { readonly document: SearchDocument } | { readonly removed: string };

export interface SearchQuery {
  /** Words; every listing fits when there are none. */
  readonly q: string;
  readonly kind?: ListingKind | undefined;
  readonly category?: string | undefined;
  readonly ownerId?: string | undefined;
}

export const searchDocument = (listing: Listing): SearchDocument => ({
  id: listing.id,
  kind: listing.kind,
  category: listing.category,
  ownerId: listing.ownerId,
  revision: listing.revision,
  name: listing.name,
  tags: listing.tags.join(' '),
  summary: listing.summary,
  description: listing.description.slice(0, DESCRIPTION_CHARACTERS),
});

/** Scripts that do not put spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese. */
const UNSPACED = /[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff\uf900-\ufaff]/;
const segmenter = new Intl.Segmenter(undefined, { granularity: 'word' });
const SEPARATORS = /[^\p{L}\p{N}\p{M}+#]+/u;

function tokenize(text: string): string[] {
  if (!UNSPACED.test(text)) return text.split(SEPARATORS).filter((word) => word !== '');
  return [...segmenter.segment(text)]
    .flatMap(({ segment, isWordLike }) => (isWordLike ? segment.split(SEPARATORS) : []))
    .filter((word) => word !== '');
}

/** Case and accents make no difference. */
const processTerm = (term: string): string =>
  term.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').slice(0, MAX_TERM_CHARACTERS);

/** A longer word is searched by its prefix; the cost of a fuzzy search grows with the length of its words. */
const MAX_TERM_CHARACTERS = 32;

/** A word in the name is more significant for a listing than one in its description. */
const BOOST = { name: 4, tags: 2, category: 2, summary: 1.5, description: 1 };

const OPTIONS: Options<SearchDocument> = {
  fields: Object.keys(BOOST),
  storeFields: ['kind', 'category', 'ownerId', 'revision'],
  tokenize,
  processTerm,
  autoVacuum: false,
};

/** One error in a word of 4 to 7 letters, two in a longer one; shorter words are too alike. */
const fuzzy = (term: string): number | false => (term.length < 4 ? false : term.length < 8 ? 1 : 2);

/**
 * Returns the number of allowed errors for searches without another result. Two swapped letters count as two errors.
 */
const looser = (term: string): number | false => (term.length < 5 ? fuzzy(term) : 2);

const typed = { boost: BOOST, combineWith: 'AND', weights: { fuzzy: 0.45, prefix: 0.6 } } as const;

/**
 * Exact and prefix matches, then matches with typing errors. The first search with results determines the response, so
 * that an exact match never ranks behind a similar word.
 */
const READINGS: readonly SearchOptions[] = [
  { ...typed, prefix: (_term, index, terms) => index === terms.length - 1 },
  { ...typed, fuzzy, prefix: (_term, index, terms) => index === terms.length - 1 },
  { ...typed, fuzzy: looser, combineWith: 'OR' },
];

export class SearchIndex {
  readonly #index: MiniSearch<SearchDocument>;

  private constructor(index: MiniSearch<SearchDocument>) {
    this.#index = index;
  }

  static empty(): SearchIndex {
    return new SearchIndex(new MiniSearch(OPTIONS));
  }

  /** Reads what `serialize` returned. */
  static parse(json: string): SearchIndex {
    return new SearchIndex(MiniSearch.loadJSON(json, OPTIONS));
  }

  /** Returns what `parse` reads, without the words of replaced and removed listings. */
  async serialize(): Promise<string> {
    if (this.#index.dirtCount > 0) await this.#index.vacuum({ batchSize: Number.MAX_SAFE_INTEGER });
    return JSON.stringify(this.#index);
  }

  get size(): number {
    return this.#index.documentCount;
  }

  /** Returns false for a change that the index has, and for an earlier one: they change nothing. */
  apply(change: IndexChange): boolean {
    if ('removed' in change) {
      const isIndexed = this.#index.has(change.removed);
      if (isIndexed) this.#index.discard(change.removed);
      return isIndexed;
    }
    const { document } = change;
    const storedFields = this.#index.getStoredFields(document.id);
    if (storedFields !== undefined && Number(storedFields.revision) >= document.revision) return false;
    if (storedFields === undefined) this.#index.add(document);
    else this.#index.replace(document);
    return true;
  }

  /**
   * The ids of all that fit: best first, or newest first where no words were given. An index that a version before 1.2
   * stored has no owners, and returns the listings of all of them.
   */
  search({ q, kind, category, ownerId }: SearchQuery): readonly string[] {
    const filter = (result: SearchResult) =>
      (kind === undefined || result.kind === kind) &&
      (category === undefined || result.category === category) &&
      (ownerId === undefined || (result.ownerId ?? ownerId) === ownerId);
    if (tokenize(q).length === 0) {
      const all = this.#index.search(MiniSearch.wildcard, { filter });
      return all.map(({ id }) => String(id)).sort((a, b) => (a < b ? 1 : -1));
    }
    for (const reading of READINGS) {
      const matches = this.#index.search(q, { ...reading, filter });
      if (matches.length > 0) return matches.map(({ id }) => String(id));
    }
    return [];
  }
}
