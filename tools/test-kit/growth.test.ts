import { describe, expect, it } from '@jest/globals';
import { growthOf, MAX_RATIO, TIMES } from './growth.ts';

const spin = (steps: number): number => {
  let sum = 0;
  for (let step = 0; step < steps; step += 1) sum += step;
  return sum;
};

describe('the growth of time', () => {
  it('stays below the limit for work in proportion to its size', async () => {
    expect(await growthOf((size) => spin(size * 1_000), 100)).toBeLessThan(MAX_RATIO);
  });

  it('exceeds the limit for work beyond proportion, also with other work in proportion', async () => {
    const growth = await growthOf((size) => spin(size * size) + spin(size * 10), 500);
    expect(growth).toBeGreaterThan(MAX_RATIO);
  });

  it('stays below half of the proportion for work that does not grow', async () => {
    expect(await growthOf(() => spin(100_000), 1)).toBeLessThan(TIMES / 2);
  });
});
