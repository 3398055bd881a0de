import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { filesIn, read } from '../../test/architecture/source-tree.ts';
import { repeatable } from './search.ts';
import { drawsOf, readSeed, SEED, seedOf } from './seed.ts';
import { offsets } from './thorough.ts';

const some = (draw: () => number): readonly number[] => Array.from({ length: 20 }, draw);

describe('the reader of SEED', () => {
  it('returns the same seed if SEED is not set', () => {
    expect(readSeed(undefined)).toBe(readSeed(''));
  });

  it('returns the seed that SEED names', () => {
    expect(['12345', '0', '-2147483648'].map(readSeed)).toEqual([12_345, 0, -2_147_483_648]);
  });

  it('returns another seed each time for "fresh"', () => {
    expect(new Set(Array.from({ length: 5 }, () => readSeed('fresh'))).size).toBeGreaterThan(1);
  });

  it.each(['lucky', '1.5', '4294967296'])('rejects %s and names it', (value) => {
    expect(() => readSeed(value)).toThrow(value);
  });

  it('configures fast-check', () => {
    expect(fc.readConfigureGlobal().seed).toBe(SEED);
    const drawn = fc.sample(fc.nat(), 20);
    expect(fc.sample(fc.nat(), 20)).toEqual(drawn);
    expect(fc.sample(fc.nat(), { numRuns: 20, seed: SEED + 1 })).not.toEqual(drawn);
  });
});

describe('the generator of draws', () => {
  it('returns the same draws for the same seed, and others for another seed or search', () => {
    const drawn = some(drawsOf('kills', 7));
    expect(some(drawsOf('kills', 7))).toEqual(drawn);
    expect(some(drawsOf('kills', 8))).not.toEqual(drawn);
    expect(some(drawsOf('deaths', 7))).not.toEqual(drawn);
    expect(some(drawsOf('kills'))).toEqual(some(drawsOf('kills', SEED)));
  });

  it('returns numbers between 0 and 1', () => {
    expect(some(drawsOf('kills')).every((number) => number >= 0 && number < 1)).toBe(true);
  });

  it('starts at a seed that fast-check prints unchanged', () => {
    const { seed } = fc.check(
      fc.property(fc.nat(), () => false),
      { seed: seedOf('lane 1') },
    );
    expect(seed).toBe(seedOf('lane 1'));
  });

  it('chooses the offsets of a search', () => {
    const offsetsTried = [...offsets(0, 1_000)];
    expect(offsetsTried.length).toBeGreaterThan(10);
    expect([...offsets(0, 1_000)]).toEqual(offsetsTried);
  });
});

describe('a test that draws', () => {
  it('names its seed and what went wrong when it fails', async () => {
    const failing = repeatable(async (value) => expect(1).toBe(value));
    await expect(failing(2)).rejects.toThrow(
      new RegExp(`^SEED=${SEED} .*repeats this: .*toBe[^]*Expected: 2`),
    );
    await expect(failing(2)).rejects.toMatchObject({ cause: { matcherResult: { expected: 2 } } });
    await expect(failing(1)).resolves.toBeUndefined();
  });

  it('takes `it` from tools/test-kit/search.ts, and draws nothing that no seed decides, in every file', () => {
    const files = filesIn()
      .filter((path) => /\.test\.ts$|\/testing\/.*\.ts$|^test\//.test(path))
      .filter((path) => !/^(tools\/test-kit\/search\.test|test\/architecture\/purity)\.ts$/.test(path))
      .map((path) => [path, read(path)] as const);
    const drawing = files.filter(
      ([path, text]) =>
        path.endsWith('.test.ts') &&
        /from 'fast-check'|\b(offsets|drawsOf|seedOf|mutatedForms|fuzz)\(/.test(text),
    );
    expect(drawing.length).toBeGreaterThan(100);
    const withIt = /^import \{ it \} from '[./]+([\w-]+\/)*search\.ts';$/m;
    expect(drawing.filter(([, text]) => !withIt.test(text)).map(([path]) => path)).toEqual([]);
    expect(files.filter(([, text]) => text.includes('Math.random')).map(([path]) => path)).toEqual([]);
  });
});
