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

  it('returns the listings of one owner, and those of an index without owners', () => {
    const [first] = KNOWN;
    if (first === undefined) throw new Error('there is no listing');
    const index = indexed();
    index.apply({ document: { ...first, id: 'lst_other', ownerId: 'acc_other' } });
    expect(index.search({ q: '', ownerId: 'acc_other' })).toEqual(['lst_other']);
    expect(index.search({ q: 'wizard', ownerId: 'acc_owner' })).toEqual([first.id]);
    const { ownerId, ...before } = first;
    index.apply({ document: { ...before, id: 'lst_before' } as typeof first });
    expect(index.search({ q: '', ownerId: 'acc_other' }).toSorted()).toEqual(['lst_before', 'lst_other']);
  });

  it('returns nothing if no listing resembles the words', () => {
    expect(indexed().search({ q: 'xylophone' })).toEqual([]);
    expect(indexed().search({ q: 'zzz' })).toEqual([]);
  });

  it('returns the same after the index is stored and read again', async () => {
    const again = SearchIndex.parse(await indexed().serialize());
    for (const { q, kind } of CASES) expect(again.search({ q, kind })).toEqual(indexed().search({ q, kind }));
  });
});

describe('a change of the index', () => {
  const [first] = KNOWN;
  if (first === undefined) throw new Error('there is no listing to change');

  it('replaces the indexed listing, removes deleted ones, and can be repeated', () => {
    const index = indexed();
    const changed = { document: { ...first, revision: 2, name: 'Renamed' } };
    for (const isNew of [true, false]) {
      expect(index.apply(changed)).toBe(isNew);
      expect(index.search({ q: 'renamed' })).toEqual([first.id]);
      expect(index.search({ q: 'wizard' })).toEqual([]);
    }
    for (const isNew of [true, false]) {
      expect(index.apply({ removed: first.id })).toBe(isNew);
      expect(index.size).toBe(KNOWN.length - 1);
    }
  });

  it('leaves no words of earlier revisions in the stored index, however many there are', async () => {
    let stored = await indexed().serialize();
    const { length } = stored;
    for (let revision = 2; revision < 40; revision += 1) {
      const index = SearchIndex.parse(stored);
      index.apply({ document: { ...first, revision, description: `word${revision} `.repeat(30) } });
      stored = await index.serialize();
    }
    expect(stored).not.toContain('word38');
    expect(stored.length).toBeLessThan(length + 1_000);
  });

  it('changes nothing if it is older than the indexed revision', () => {
    const index = indexed();
    expect(index.apply({ document: { ...first, revision: 3, name: 'Renamed' } })).toBe(true);
    expect(index.apply({ document: { ...first, revision: 2, name: 'Outdated' } })).toBe(false);
    expect(index.search({ q: 'outdated' })).toEqual([]);
    expect(index.search({ q: 'renamed' })).toEqual([first.id]);
  });
});
