import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { durationCost } from '../../../../lambdas/core/inference/price.ts';
import {
  billedSeconds,
  estimatedSeconds,
} from '../../../../lambdas/core/inference/transcriptions/duration.ts';

describe('the cost of a duration', () => {
  it.each([
    [60, 6_000_000n, 6_000_000n],
    [12.34, 6_000_000n, 1_234_000n],
    [8.470000267028809, 6_000_000n, 847_001n],
    [1e-7, 6_000_000n, 1n],
    [0, 6_000_000n, 0n],
    [1e21, 1n, 16_666_666_666_666_666_667n],
  ])('of %d s at %d a minute is exact, and rounded up once', (seconds, price, cost) => {
    expect(durationCost(price, seconds)).toBe(cost);
  });

  it('is never less than the exact figure, and less than a nano-dollar more', () => {
    const milliseconds = fc.integer({ min: 0, max: 100_000_000 });
    fc.assert(
      fc.property(milliseconds, fc.bigInt({ min: 0n, max: 10n ** 12n }), (ms, price) => {
        const scaled = durationCost(price, ms / 1000) * 60_000n;
        const exact = BigInt(ms) * price;
        return scaled >= exact && scaled - exact < 60_000n;
      }),
    );
  });
});

describe('what is held for and what is billed', () => {
  const recording = { bytes: 480_000, measured: 10 };

  it('is the file’s own length, or what its bytes may last where the header is silent or lies', () => {
    expect(estimatedSeconds(recording)).toBe(10);
    expect(estimatedSeconds({ bytes: 2_000, measured: undefined })).toBe(1);
    expect(estimatedSeconds({ bytes: 576_000_000, measured: 1 })).toBe(1_000);
  });

  it('is what the route measured, unless no codec could fit it into the file', () => {
    expect(billedSeconds(recording, 10.02)).toEqual({ seconds: 10.02, estimated: false });
    expect(billedSeconds(recording, undefined)).toEqual({ seconds: 10, estimated: true });
    expect(billedSeconds(recording, 10_000)).toEqual({ seconds: 10, estimated: true });
    expect(billedSeconds({ bytes: 2_000, measured: undefined }, undefined)).toEqual({
      seconds: 1,
      estimated: true,
    });
  });
});
