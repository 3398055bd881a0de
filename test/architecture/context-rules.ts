import { describe, expect, it } from '@jest/globals';
import { type Arrow, arrowsOf, arrowsWithin, circleIn, roomsOf } from './rooms.ts';
import { sourceModules } from './source-tree.ts';

/** More says that a folder has two subjects. */
const MAX_FILES = 20;

const modules = sourceModules();
const arrows = arrowsOf(modules);
const rooms = roomsOf(modules.map(({ path }) => path));

describe('the folders of the source tree', () => {
  it('form no import cycle between modules, type imports included', () => {
    expect(arrows.length).toBeGreaterThan(1_000);
    expect(circleIn(arrows)).toBeUndefined();
  });

  it('form no import cycle between the parts of any folder', () => {
    const circles = [...rooms.keys()].flatMap((folder) => {
      const circle = circleIn(arrowsWithin(folder, arrows));
      return circle === undefined ? [] : [`${folder}: ${circle.join(' -> ')}`];
    });
    expect(circles).toEqual([]);
  });

  it(`hold at most ${MAX_FILES} files, tests aside`, () => {
    const crowded = [...rooms]
      .map(([folder, names]) => [folder, [...names].filter((name) => name.includes('.')).length] as const)
      .filter(([, files]) => files > MAX_FILES);
    expect(crowded).toEqual([]);
  });
});

describe('the checks of folders', () => {
  it('detect a cycle, and return its path', () => {
    const crossings: Arrow[] = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ];
    expect(circleIn(crossings)).toEqual(['b', 'c', 'b']);
    expect(circleIn(crossings.slice(0, 2))).toBeUndefined();
  });

  it('detect a cycle of folders if the modules have none', () => {
    const crossings: Arrow[] = [
      ['x/a/1.ts', 'x/b/1.ts'],
      ['x/b/2.ts', 'x/a/2.ts'],
    ];
    expect(circleIn(crossings)).toBeUndefined();
    expect(circleIn(arrowsWithin('x', crossings))).toEqual(['a', 'b', 'a']);
    expect(arrowsWithin('', crossings)).toEqual([]);
  });

  it('count files and folders as siblings, each once', () => {
    expect(roomsOf(['x/a/1.ts', 'x/a/2.ts', 'x/b.ts']).get('x')).toEqual(new Set(['a', 'b.ts']));
  });
});
