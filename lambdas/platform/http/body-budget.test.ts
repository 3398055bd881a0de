import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import { BodyBytes, SharedBytes } from './body-budget.ts';

const MAX_BYTES = 800;
const SHARE_BYTES = 100;
const OWNERS = ['a', 'b', 'c'];

describe('shared bytes', () => {
  it('never exceed what there is, leave half to owners with less than their share, and refuse nothing else', () => {
    const step = fc.record({
      take: fc.boolean(),
      owner: fc.constantFrom(...OWNERS),
      bytes: fc.integer({ min: 1, max: 500 }),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const shared = new SharedBytes(MAX_BYTES);
        const taken: { owner: string; bytes: number }[] = [];
        const sum = (owner?: string) =>
          taken.reduce(
            (total, each) => total + (owner === undefined || each.owner === owner ? each.bytes : 0),
            0,
          );
        for (const { take, owner, bytes } of steps) {
          const last = take ? undefined : taken.pop();
          if (last !== undefined) shared.give(last.owner, last.bytes);
          if (!take) continue;
          const limit = sum(owner) + bytes <= SHARE_BYTES ? MAX_BYTES : MAX_BYTES / 2;
          const fits = sum() === 0 || sum() + bytes <= limit;
          expect(shared.take(owner, bytes)).toBe(fits);
          if (fits) taken.push({ owner, bytes });
        }
      }),
    );
  });
});

const budgetOf = () => ({
  arriving: new SharedBytes(MAX_BYTES),
  slow: new SharedBytes(MAX_BYTES / 2),
  complete: new SharedBytes(MAX_BYTES),
  afterSending: 0.25,
});

describe('the bytes of a body', () => {
  it('leave the arriving ones when it is complete, count a quarter when it was sent, and are free at its end', () => {
    const budget = budgetOf();
    const body = new BodyBytes(budget, 'address');
    body.claim('a');
    expect(body.arrive(300)).toBe(true);
    expect(new BodyBytes(budget, 'b').arrive(600)).toBe(false);
    expect(body.complete()).toBe(true);
    expect(new BodyBytes(budget, 'b').arrive(600)).toBe(true);
    const other = (bytes: number) => budget.complete.take('b', bytes);
    expect(other(101)).toBe(false);
    body.sent();
    expect(other(325)).toBe(true);
    body.release();
    expect(other(75)).toBe(true);
  });

  it('meet those of other slow bodies only, if it is slow', () => {
    const budget = budgetOf();
    const slow = Array.from({ length: 8 }, (_, at) => new BodyBytes(budget, `slow ${at}`));
    for (const body of slow) expect([body.arrive(50), body.slow()]).toEqual([true, true]);
    const others = OWNERS.map((owner) => new BodyBytes(budget, owner));
    for (const body of others) expect(body.arrive(100)).toBe(true);
    expect(others[0]?.slow()).toBe(false);
    expect([slow[0]?.arrive(1), others[1]?.complete()]).toEqual([false, true]);
    for (const body of slow) body.release();
    expect(others[0]?.slow()).toBe(true);
  });
});
