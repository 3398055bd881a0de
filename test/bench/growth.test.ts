import { describe, expect, it } from '@jest/globals';
import { measureBlocks, middleOf, ratioOf } from '../../bench/growth/blocks.ts';

const block = (name: string, ms: number) => ({ name, ms, cpuMs: ms / 2 });

describe('kinds of work in turns', () => {
  it('are each done as often as the others, and the warm-up is not kept', async () => {
    const done: string[] = [];
    const kinds = ['a', 'b'].map((name) => ({ name, work: async () => done.push(name) }));
    const rounds = await measureBlocks(kinds, { rounds: 2, calls: 2, warmUp: 1 });
    expect(done.join('')).toBe('aabbbbaaaabb');
    expect(rounds.map((blocks) => blocks.map(({ name }) => name).sort())).toEqual([
      ['a', 'b'],
      ['a', 'b'],
    ]);
  });

  it('are compared within a round, so that a slow round moves nothing', () => {
    const rounds = [
      [block('a', 1), block('b', 2)],
      [block('a', 100), block('b', 200)],
      [block('a', 2), block('b', 4)],
    ];
    expect(ratioOf(rounds, ['b', 'a'], 'ms')).toBe(2);
    expect(middleOf(rounds, 'b', 'cpuMs')).toBe(2);
  });

  it('of which one was not done have no ratio', () => {
    expect(ratioOf([[block('a', 1)]], ['b', 'a'], 'ms')).toBeNaN();
  });
});
