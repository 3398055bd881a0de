import { describe, expect, it } from '@jest/globals';
import { CASES, KNOWN } from '../../testing/discovery/relevance.ts';
import { SearchIndex } from './search-index.ts';

function indexed(): SearchIndex {
  const index = SearchIndex.empty();
  for (const document of KNOWN) index.apply({ document });
  return index;
}
const idOf = (index: number): string => KNOWN[index]?.id ?? '';

describe('a search', () => {
  it.each(CASES.map((one) => [one.why, one] as const))('returns first: %s', (_why, { q, kind, first }) => {
    const results = indexed().search({ q, kind });
    expect(results.slice(0, first.length)).toEqual(first.map(idOf));
  });

  it('returns all listings of a kind or category if it has no words, newest first', () => {
    const all = KNOWN.filter(({ category }) => category === 'finance').map(({ id }) => id);
    expect(indexed().search({ q: '  ', category: 'finance' })).toEqual([...all].sort().reverse());
    expect(indexed().search({ q: '!?', kind: 'ai-agent' })).toHaveLength(2);
  });

  it('returns nothing if no listing resembles the words', () => {
    expect(indexed().search({ q: 'xylophone' })).toEqual([]);
    expect(indexed().search({ q: 'zzz' })).toEqual([]);
  });

  it('returns the same after the index is stored and read again', () => {
    const again = SearchIndex.parse(indexed().toJSON());
    for (const { q, kind } of CASES) expect(again.search({ q, kind })).toEqual(indexed().search({ q, kind }));
  });
});

describe('a change of the index', () => {
  const [first] = KNOWN;
  if (first === undefined) throw new Error('there is no listing to change');

  it('replaces the indexed listing, removes deleted ones, and can be repeated', () => {
    const index = indexed();
    const changed = { document: { ...first, revision: 2, name: 'Renamed' } };
    for (const repeat of [1, 2]) {
      index.apply(changed);
      expect([repeat, index.search({ q: 'renamed' })]).toEqual([repeat, [first.id]]);
      expect(index.search({ q: 'wizard' })).toEqual([]);
    }
    for (const repeat of [1, 2]) {
      index.apply({ removed: first.id });
      expect([repeat, index.size]).toEqual([repeat, KNOWN.length - 1]);
    }
  });

  it('changes nothing if it is older than the indexed revision', () => {
    const index = indexed();
    index.apply({ document: { ...first, revision: 3, name: 'Renamed' } });
    index.apply({ document: { ...first, revision: 2, name: 'Outdated' } });
    expect(index.search({ q: 'outdated' })).toEqual([]);
    expect(index.search({ q: 'renamed' })).toEqual([first.id]);
  });
});
