import { describe, expect, it } from '@jest/globals';
import { type PromptBlock, PromptCache, type SimulatedLifetime } from './prompt-cache.ts';

/** Blocks of 1,000 tokens, one for each letter; an upper-case one is marked. */
const prompt = (letters: string, lifetime: SimulatedLifetime = '5m'): PromptBlock[] =>
  [...letters].map((letter) => ({
    content: letter.toLowerCase(),
    tokens: 1_000,
    ...(letter === letter.toLowerCase() ? {} : { cacheBreakpoint: lifetime }),
  }));

const used = (cache: PromptCache, letters: string, model = 'sim') => {
  const { read, written } = cache.use(model, prompt(letters));
  return [read, written['5m']];
};

describe('the prompt cache of a provider', () => {
  it('reads the longest prefix that was written, and writes the rest up to the last cache breakpoint', () => {
    const cache = new PromptCache();
    expect(used(cache, 'aBc')).toEqual([0, 2_000]);
    expect(used(cache, 'abcD')).toEqual([2_000, 2_000]);
    expect(used(cache, 'abcdE')).toEqual([4_000, 1_000]);
    expect(used(cache, 'axcdE')).toEqual([0, 5_000]);
  });

  it('neither reads nor writes without a cache breakpoint', () => {
    const cache = new PromptCache();
    used(cache, 'aB');
    expect(used(cache, 'abc')).toEqual([0, 0]);
  });

  it('checks up to twenty blocks before a cache breakpoint, and no more', () => {
    const letters = 'bcdefghijklmnopqrst';
    const near = new PromptCache();
    used(near, 'A');
    expect(used(near, `a${letters.slice(1)}Z`)).toEqual([1_000, 19_000]);
    const otherCache = new PromptCache();
    used(otherCache, 'A');
    expect(used(otherCache, `a${letters}Z`)).toEqual([0, 21_000]);
    expect(used(otherCache, `A${letters}y`)).toEqual([1_000, 0]);
  });

  it('checks only the cache breakpoints for Nova', () => {
    const cache = new PromptCache();
    used(cache, 'aB', 'amazon.nova-lite-v1:0');
    expect(used(cache, 'abC', 'amazon.nova-lite-v1:0')).toEqual([0, 3_000]);
    expect(used(cache, 'aBcD', 'amazon.nova-lite-v1:0')).toEqual([2_000, 2_000]);
  });

  it.each([
    ['claude-haiku-4-5', 'abcD', 0],
    ['claude-haiku-4-5', 'abcdE', 5_000],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'A', 0],
    ['us.anthropic.claude-sonnet-4-5-20250929-v1:0', 'aB', 2_000],
  ])('writes nothing below the least length of %s: %s', (model, letters, written) => {
    expect(used(new PromptCache(), letters, model)).toEqual([0, written]);
  });

  it('retains an entry for its lifetime, counted from the last use', () => {
    let now = 0;
    const cache = new PromptCache(() => now);
    const read = (lifetime: SimulatedLifetime) => cache.use('sim', prompt('aB', lifetime)).read;
    for (const [lifetime, ms] of [
      ['5m', 300_000],
      ['1h', 3_600_000],
    ] as const) {
      expect(read(lifetime)).toBe(0);
      now += ms - 1;
      expect(read(lifetime)).toBe(2_000);
      now += ms - 1;
      expect(read(lifetime)).toBe(2_000);
      now += ms;
      expect(read(lifetime)).toBe(0);
    }
  });

  it('splits what is written by lifetime', () => {
    const [first, second] = [prompt('aB', '1h'), prompt('cD')];
    expect(new PromptCache().use('sim', [...first, ...second])).toEqual({
      read: 0,
      written: { '1h': 2_000, '5m': 2_000 },
    });
  });
});
