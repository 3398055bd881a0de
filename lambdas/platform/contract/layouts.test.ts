import { describe, expect, it } from '@jest/globals';
import { finishedLayouts, LAYOUTS, unreadableKinds, writtenLayout } from './layouts.ts';
import { TABLES } from './tables.ts';

const kinds = Object.keys(LAYOUTS);

describe('the table of layouts', () => {
  it('contains kinds of every table', () => {
    const places = new Set(kinds.map((kind) => kind.split('/')[0]));
    expect(Object.keys(TABLES).filter((table) => !places.has(table))).toEqual([]);
  });

  it('writes no layout that it does not read', () => {
    for (const [kind, { reads, writes }] of Object.entries(LAYOUTS)) {
      expect([kind, writes <= reads, writes >= 1]).toEqual([kind, true, true]);
    }
  });
});

describe('a stage', () => {
  it('receives its own layouts, and none that is newer than the version writes', () => {
    expect(writtenLayout('keys', {})).toBe(1);
    expect(writtenLayout('keys', { keys: 99 })).toBe(LAYOUTS.keys.writes);
  });

  it('makes the kinds unreadable that have a newer layout, or that the version does not know', () => {
    const { reads } = LAYOUTS.keys;
    expect(unreadableKinds({ keys: reads, wallets: 1 })).toEqual([]);
    expect(unreadableKinds({ keys: reads + 1, 'new/kind': 2 })).toEqual(['keys', 'new/kind']);
    const older = { ...LAYOUTS, keys: { reads: 1, writes: 1 } };
    expect(unreadableKinds({ keys: 2 }, older)).toEqual(['keys']);
  });

  it('keeps its layouts if a version finishes it that writes older ones', () => {
    expect(finishedLayouts({ keys: 5, 'new/kind': 2 })).toMatchObject({ keys: 5 });
  });
});
