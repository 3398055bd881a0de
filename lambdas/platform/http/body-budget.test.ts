import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import type { ServiceError } from '../core/errors.ts';
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
          const fitsNextTo = (own: number) => {
            const others = sum() - sum(owner);
            const limit = own + bytes <= SHARE_BYTES ? MAX_BYTES : MAX_BYTES / 2;
            return others + own === 0 || others + own + bytes <= limit;
          };
          const shortage = fitsNextTo(0) ? 'own' : 'others';
          const fits = fitsNextTo(sum(owner));
          expect(shared.take(owner, bytes, 0)).toBe(fits ? undefined : shortage);
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

const call = { claim: () => {}, serve: () => {} };

/** Returns the code of the error, or undefined. */
function rejectionOf(take: (() => void) | undefined): string | undefined {
  try {
    take?.();
    return undefined;
  } catch (failure) {
    return (failure as ServiceError).code;
  }
}

describe('the bytes of a body', () => {
  it('leave the arriving ones when it is complete, count a quarter when it was sent, and are free at its end', () => {
    const budget = budgetOf();
    const body = new BodyBytes(budget, call, 'address');
    body.claim('a');
    body.arrive(300);
    expect(rejectionOf(() => new BodyBytes(budget, call, 'b').arrive(600))).toBe('overloaded');
    body.complete();
    new BodyBytes(budget, call, 'b').arrive(600);
    const other = (bytes: number) => budget.complete.take('b', bytes, 0);
    expect(other(101)).toBe('others');
    body.sent();
    expect(other(325)).toBeUndefined();
    body.release();
    expect(other(75)).toBeUndefined();
  });

  it('meet those of other slow bodies only, if it is slow', () => {
    const budget = budgetOf();
    const slow = Array.from({ length: 8 }, (_, at) => new BodyBytes(budget, call, `slow ${at}`));
    for (const body of slow) {
      body.arrive(50);
      body.slow();
    }
    const others = OWNERS.map((owner) => new BodyBytes(budget, call, owner));
    for (const body of others) body.arrive(100);
    expect(rejectionOf(() => others[0]?.slow())).toBe('overloaded');
    expect(rejectionOf(() => slow[0]?.arrive(1))).toBe('overloaded');
    expect(rejectionOf(() => others[1]?.complete())).toBeUndefined();
    for (const body of slow) body.release();
    expect(rejectionOf(() => others[0]?.slow())).toBeUndefined();
  });

  it('cause 429 if they would fit without the other bodies of their account, and 503 otherwise', () => {
    const budget = budgetOf();
    const arrive = (owner: string, bytes: number) => rejectionOf(() => bodyOf(owner).arrive(bytes));
    const bodyOf = (owner: string) => new BodyBytes(budget, call, owner);
    expect([arrive('a', 200), arrive('a', 200)]).toEqual([undefined, undefined]);
    expect([arrive('a', 1), arrive('a', 150)]).toEqual(['body_quota', 'body_quota']);
    expect([arrive('b', SHARE_BYTES), arrive('c', SHARE_BYTES + 1)]).toEqual([undefined, 'overloaded']);
  });
});
