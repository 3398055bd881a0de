import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../../tools/test-kit/thorough.ts';
import { amountOf } from '../../pricing/bill.ts';
import { billedSeconds, estimatedSeconds, maxSeconds } from './duration.ts';

const durationCost = (pricePerMinute: bigint, seconds: number): bigint =>
  amountOf([{ quantity: seconds, price: pricePerMinute, per: 60 }]);

describe('the cost of a duration', () => {
  it.each([
    [60, 6_000_000n, 6_000_000n],
    [12.34, 6_000_000n, 1_234_000n],
    [8.470000267028809, 6_000_000n, 847_001n],
    [1e-7, 6_000_000n, 1n],
    [0, 6_000_000n, 0n],
    [1e21, 1n, 16_666_666_666_666_666_667n],
  ])('equals the exact amount for %d s at %d a minute, rounded up once', (seconds, price, cost) => {
    expect(durationCost(price, seconds)).toBe(cost);
  });

  it('never falls below the exact amount, and exceeds it by less than a nano-dollar', () => {
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

/** 3 MB, which are 1,500 s at 16 kbit/s and 4,000 s at 6 kbit/s. */
const BYTES = 3_000_000;
const claiming = (seconds: number) => ({ bytes: BYTES, length: { seconds, exact: false } });
const silent = { bytes: BYTES, length: undefined };
/** The same bytes as plain samples. */
const plain = { bytes: BYTES, length: { seconds: 62.5, exact: true } };

describe('the maximum duration of a file', () => {
  it('equals the longest duration that the bytes allow, unless the header states a longer one', () => {
    expect(maxSeconds(silent)).toBe(4_000);
    expect(maxSeconds(claiming(1))).toBe(4_000);
    expect(maxSeconds(claiming(196))).toBe(4_000);
    expect(maxSeconds(claiming(7_200))).toBe(7_201);
  });

  it('equals the duration of plain samples, plus a second for routes that round up', () => {
    expect(maxSeconds(plain)).toBe(63.5);
  });
});

describe('the estimated duration of a file', () => {
  it('equals the duration of the bytes at 16 kbit/s, unless the header states a longer one', () => {
    expect(estimatedSeconds(silent)).toBe(1_500);
    expect(estimatedSeconds(claiming(1))).toBe(1_500);
    expect(estimatedSeconds(claiming(196))).toBe(1_500);
    expect(estimatedSeconds(claiming(7_200))).toBe(7_201);
    expect(estimatedSeconds(plain)).toBe(63.5);
  });
});

describe('the billed duration of a file', () => {
  it.each([undefined, 0])('equals the service’s own measure if the route returned %p', (returned) => {
    expect(billedSeconds(claiming(196), returned)).toEqual({ seconds: 196, estimated: true });
    expect(billedSeconds(silent, returned)).toEqual({ seconds: 1_500, estimated: true });
    expect(billedSeconds(plain, returned)).toEqual({ seconds: 62.5, estimated: true });
    // 3 MB are 5.2 s of the densest sound there is, so they are no less.
    expect(billedSeconds(claiming(1), returned).seconds).toBeCloseTo(5.208, 3);
  });
});

/** Files as honest and as dishonest as they come, and what a route may say of them. */
const recordings = fc.record({
  bytes: fc.integer({ min: 1, max: 25 * 1024 * 1024 }),
  length: fc.option(
    fc.record({ seconds: fc.double({ min: 1e-9, max: 1e9, noNaN: true }), exact: fc.boolean() }),
    { nil: undefined },
  ),
});
const returns = fc.option(fc.double({ min: 0, max: 1e12, noNaN: true }), { nil: undefined });

describe('the duration of any file, for any response of the route,', () => {
  it('never exceeds the hold on the bill, and equals the hold if the route reports more', () => {
    fc.assert(
      fc.property(recordings, returns, (recording, returned) => {
        const [guess, heldSeconds] = [estimatedSeconds(recording), maxSeconds(recording)];
        const { seconds, estimated } = billedSeconds(recording, returned);
        expect(seconds).toBeGreaterThan(0);
        expect(guess).toBeLessThanOrEqual(heldSeconds);
        expect(seconds).toBeLessThanOrEqual(estimated ? guess : heldSeconds);
        if (returned !== undefined && returned > heldSeconds) expect(seconds).toBe(heldSeconds);
        if (returned !== undefined && returned > 0 && returned <= heldSeconds) expect(seconds).toBe(returned);
      }),
      { numRuns: rounds(500) },
    );
  });

  it('remains at least what the bytes allow in hold and estimate, whatever an unverified header states', () => {
    fc.assert(
      fc.property(recordings, ({ bytes, length }) => {
        fc.pre(length?.exact !== true);
        expect(maxSeconds({ bytes, length })).toBeGreaterThanOrEqual((bytes * 8) / 6_000);
        expect(estimatedSeconds({ bytes, length })).toBeGreaterThanOrEqual((bytes * 8) / 16_000);
      }),
    );
  });
});
