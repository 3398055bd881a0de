import { describe, expect, it } from '@jest/globals';
import { type Arrow, arrowsOf, arrowsWithin, circleIn, roomsOf } from './rooms.ts';
import { filesIn, modulesIn, SOURCE_FOLDERS } from './source-tree.ts';

/** What a reader takes in at one look. */
const MAX_SIBLINGS = 16;

/** The rooms that a reader meets first. */
const MAX_ROOMS: Readonly<Record<string, number>> = { 'lambdas/adapters': 10, 'lambdas/core/inference': 12 };

/** A folder for each row of the route table, which is their table of contents. */
const TABLES_OF_THEIR_OWN = ['lambdas/endpoints'];

const modules = modulesIn(...SOURCE_FOLDERS);
const arrows = arrowsOf(modules);
const rooms = roomsOf(SOURCE_FOLDERS.flatMap((folder) => filesIn(folder)));

describe('the rooms of the house', () => {
  it('have no circle among modules, imports of types included', () => {
    expect(arrows.length).toBeGreaterThan(1_000);
    expect(circleIn(arrows)).toBeUndefined();
  });

  it('have, in every folder, no arrow that goes up', () => {
    const circles = [...rooms.keys()].flatMap((folder) => {
      const circle = circleIn(arrowsWithin(folder, arrows));
      return circle === undefined ? [] : [`${folder}: ${circle.join(' -> ')}`];
    });
    expect(circles).toEqual([]);
  });

  it(`hold at most ${MAX_SIBLINGS} siblings`, () => {
    const crowded = [...rooms]
      .filter(
        ([folder]) => !TABLES_OF_THEIR_OWN.includes(folder) && !folder.startsWith('tools/bench/results'),
      )
      .filter(([folder, { size }]) => size > (MAX_ROOMS[folder] ?? MAX_SIBLINGS))
      .map(([folder, { size }]) => `${folder}: ${size}`);
    expect(crowded).toEqual([]);
    for (const folder of [...TABLES_OF_THEIR_OWN, ...Object.keys(MAX_ROOMS)])
      expect([...rooms.keys()]).toContain(folder);
  });
});

describe('the checks of rooms', () => {
  it('find a circle, and the way around it', () => {
    const found: Arrow[] = [
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'b'],
    ];
    expect(circleIn(found)).toEqual(['b', 'c', 'b']);
    expect(circleIn(found.slice(0, 2))).toBeUndefined();
  });

  it('find a circle of folders where the modules have none', () => {
    const found: Arrow[] = [
      ['x/a/1.ts', 'x/b/1.ts'],
      ['x/b/2.ts', 'x/a/2.ts'],
    ];
    expect(circleIn(found)).toBeUndefined();
    expect(circleIn(arrowsWithin('x', found))).toEqual(['a', 'b', 'a']);
    expect(arrowsWithin('', found)).toEqual([]);
  });

  it('count files and folders as siblings, each once', () => {
    expect(roomsOf(['x/a/1.ts', 'x/a/2.ts', 'x/b.ts']).get('x')).toEqual(new Set(['a', 'b.ts']));
  });
});
