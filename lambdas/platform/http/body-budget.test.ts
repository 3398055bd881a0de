import { describe, expect } from '@jest/globals';
import * as fc from 'fast-check';
import { it } from '../../../tools/test-kit/search.ts';
import type { ServiceError } from '../core/errors.ts';
import { type BodyBudget, BodyBytes, SharedBytes } from './body-budget.ts';

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

const budgetOf = (parts: Partial<BodyBudget> = {}): BodyBudget => ({
  arriving: new SharedBytes(MAX_BYTES),
  slow: new SharedBytes(MAX_BYTES / 2),
  larger: new SharedBytes(MAX_BYTES),
  unproven: new SharedBytes(MAX_BYTES),
  complete: new SharedBytes(MAX_BYTES),
  afterSending: 0.25,
  ...parts,
});

const call = { claim: () => false, prove: () => {}, serve: () => {} };

const bodyOf = (budget: BodyBudget, owner: string, declaredBytes = 0) =>
  new BodyBytes(budget, call, owner, declaredBytes);

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
    const body = bodyOf(budget, 'address');
    body.claim('a');
    body.arrive(300);
    expect(rejectionOf(() => bodyOf(budget, 'b').arrive(600))).toBe('overloaded');
    body.complete();
    bodyOf(budget, 'b').arrive(600);
    const other = (bytes: number) => budget.complete.take('b', bytes, 0);
    expect(other(101)).toBe('others');
    body.sent();
    expect(other(325)).toBeUndefined();
    body.release();
    expect(other(75)).toBeUndefined();
  });

  it('meet those of other slow bodies only, if it is slow', () => {
    const budget = budgetOf();
    const slow = Array.from({ length: 8 }, (_, at) => bodyOf(budget, `slow ${at}`));
    for (const body of slow) {
      body.arrive(50);
      body.slow();
    }
    const others = OWNERS.map((owner) => bodyOf(budget, owner));
    for (const body of others) body.arrive(100);
    expect(rejectionOf(() => others[0]?.slow())).toBe('overloaded');
    expect(rejectionOf(() => slow[0]?.arrive(1))).toBe('overloaded');
    expect(rejectionOf(() => others[1]?.complete())).toBeUndefined();
    for (const body of slow) body.release();
    expect(rejectionOf(() => others[0]?.slow())).toBeUndefined();
  });

  it('cause 429 if they would fit without the other bodies of their account, and 503 otherwise', () => {
    const budget = budgetOf();
    const arrive = (owner: string, bytes: number) => rejectionOf(() => bodyOf(budget, owner).arrive(bytes));
    expect([arrive('a', 200), arrive('a', 200)]).toEqual([undefined, undefined]);
    expect([arrive('a', 1), arrive('a', 150)]).toEqual(['body_quota', 'body_quota']);
    expect([arrive('b', SHARE_BYTES), arrive('c', SHARE_BYTES + 1)]).toEqual([undefined, 'overloaded']);
  });

  it('leave a part to those of up to 64 KB, however large the declared ones are', () => {
    const budget = budgetOf({ larger: new SharedBytes(600) });
    for (let at = 0; at < 8; at += 1) bodyOf(budget, `larger ${at}`, 65_537).arrive(75);
    expect(rejectionOf(() => bodyOf(budget, 'a', 65_537).arrive(1))).toBe('overloaded');
    expect(rejectionOf(() => bodyOf(budget, 'b', 65_536).arrive(SHARE_BYTES))).toBeUndefined();
  });

  it('require credit once what bodies without proven credit declare uses up its part, until one is proven or ends', () => {
    const budget = budgetOf({ unproven: new SharedBytes(160) });
    const bodies = Array.from({ length: 8 }, (_, at) => bodyOf(budget, `account ${at}`, 20));
    expect(bodies.map((body, at) => body.claim(`account ${at}`))).toEqual(Array(8).fill(false));
    expect([bodyOf(budget, 'a', 20).claim('a'), bodyOf(budget, 'b', 1).claim('b')]).toEqual([true, true]);
    bodies[0]?.prove();
    expect(bodyOf(budget, 'a', 20).claim('a')).toBe(false);
    bodies[1]?.release();
    bodies[2]?.arrive(20);
    bodies[2]?.complete();
    const others = ['b', 'c', 'd'].map((owner) => bodyOf(budget, owner, 20).claim(owner));
    expect(others).toEqual([false, false, true]);
  });
});
