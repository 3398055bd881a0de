import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { type Dialect, EFFORTS, type Effort } from '../catalog/dialect.ts';
import { budgetOf, effortOf, expressesEffort, nearestEffort } from './effort.ts';

const efforts = fc.constantFrom(...EFFORTS);
const tokens = fc.integer({ min: 0, max: 2_000_000 });
const requests = fc.record({ effort: efforts, maxTokens: tokens }, { requiredKeys: [] });
const rankOf = (effort: Effort) => EFFORTS.indexOf(effort);

describe('an effort in the form of a dialect', () => {
  it.each<[Dialect | undefined, Effort, number, boolean]>([
    [undefined, 'high', 4_000, false],
    [{}, 'none', 4_000, false],
    [{ reasoning_request: 'none' }, 'high', 4_000, false],
    [{ reasoning_request: 'effort' }, 'high', 4_000, true],
    [{ reasoning_request: 'adaptive' }, 'high', 1, true],
    [{ reasoning_request: 'reasoning' }, 'high', 4_000, true],
    [{ reasoning_request: 'budget' }, 'high', 4_000, true],
    [{ reasoning_request: 'budget' }, 'high', 1_024, false],
    [{ reasoning_request: 'budget' }, 'none', 1_024, true],
    [{ reasoning_request: 'enable_thinking' }, 'low', 4_000, true],
    [{ reasoning_request: 'switch' }, 'high', 4_000, false],
    [{ reasoning_request: 'switch' }, 'none', 4_000, true],
    [{ reasoning_request: 'switch', reasoning_efforts: ['high', 'max'] }, 'high', 4_000, true],
  ])(
    'reaches a route if its dialect can express it: %j, %s within %i tokens, %s',
    (dialect, effort, maxTokens, isExpressed) => {
      expect(expressesEffort(dialect, { effort }, maxTokens)).toBe(isExpressed);
    },
  );
});

describe('the budget of a request to think', () => {
  it.each([
    [{ effort: 'minimal' }, 20_000, 2_000],
    [{ effort: 'low' }, 20_000, 4_000],
    [{ effort: 'medium' }, 20_000, 10_000],
    [{ effort: 'high' }, 20_000, 16_000],
    [{ effort: 'xhigh' }, 20_000, 19_000],
    [{ effort: 'max' }, 20_000, 19_000],
    [{}, 20_000, 10_000],
    [{ maxTokens: 3_000 }, 20_000, 3_000],
    [{ maxTokens: 30_000 }, 20_000, 19_999],
    [{ effort: 'high', maxTokens: 3_000 }, 20_000, 3_000],
    [{ effort: 'low', maxTokens: 9_000 }, 20_000, 4_000],
    [{ effort: 'low' }, 1_025, 1_024],
    [{ effort: 'max' }, 1_024, undefined],
    [{ effort: 'none' }, 20_000, undefined],
    [{ maxTokens: 0 }, 20_000, undefined],
  ] as const)('results from %j within %i tokens and equals %s', (request, maxTokens, budget) => {
    expect(budgetOf(request, maxTokens)).toBe(budget);
  });

  it('contains at least 1,024 tokens and stays below the output bound, or is absent', () => {
    fc.assert(
      fc.property(requests, tokens, (request, maxTokens) => {
        const budget = budgetOf(request, maxTokens);
        if (budget === undefined) {
          expect(maxTokens <= 1_024 || request.effort === 'none' || request.maxTokens === 0).toBe(true);
          return;
        }
        expect(Number.isInteger(budget)).toBe(true);
        expect(budget).toBeGreaterThanOrEqual(1_024);
        expect(budget).toBeLessThan(maxTokens);
      }),
    );
  });

  it('never decreases if the effort, the bound or the output grows', () => {
    fc.assert(
      fc.property(requests, efforts, tokens, tokens, (request, effort, bound, maxTokens) => {
        const of = (reasoning: typeof request, within: number) => budgetOf(reasoning, within) ?? 0;
        const [less, higher] = [request.effort ?? effort, effort].toSorted((a, b) => rankOf(a) - rankOf(b));
        expect(of({ ...request, effort: less ?? effort }, maxTokens)).toBeLessThanOrEqual(
          of({ ...request, effort: higher ?? effort }, maxTokens),
        );
        expect(of({ maxTokens: Math.min(bound, maxTokens) }, maxTokens)).toBeLessThanOrEqual(
          of({ maxTokens: Math.max(bound, maxTokens) }, maxTokens),
        );
        expect(of(request, maxTokens)).toBeLessThanOrEqual(of(request, maxTokens + bound));
      }),
    );
  });
});

describe('the effort of a request to think', () => {
  it.each([
    [{}, undefined],
    [{ effort: 'high' }, 'high'],
    [{ maxTokens: 0 }, 'none'],
    [{ maxTokens: 1 }, 'minimal'],
    [{ maxTokens: 4_100 }, 'low'],
    [{ maxTokens: 50_000 }, 'xhigh'],
    [{ effort: 'low', maxTokens: 15_000 }, 'low'],
    [{ effort: 'high', maxTokens: 4_000 }, 'low'],
    // Half-way between two.
    [{ maxTokens: 3_000 }, 'minimal'],
  ] as const)('results from %j within 20,000 tokens and equals %s', (request, effort) => {
    expect(effortOf(request, 20_000)).toBe(effort);
  });

  it('matches the effort from which its budget was computed, if the output has enough tokens', () => {
    fc.assert(
      fc.property(efforts, fc.integer({ min: 10_240, max: 2_000_000 }), (effort, maxTokens) => {
        const budget = budgetOf({ effort }, maxTokens);
        const back = budget === undefined ? 'none' : effortOf({ maxTokens: budget }, maxTokens);
        // The two highest have one budget.
        expect(back).toBe(effort === 'max' ? 'xhigh' : effort);
      }),
    );
  });

  it('never falls when the budget grows', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (one, other, maxTokens) => {
        const of = (bound: number) => rankOf(effortOf({ maxTokens: bound }, maxTokens) ?? 'none');
        expect(of(Math.min(one, other))).toBeLessThanOrEqual(of(Math.max(one, other)));
      }),
    );
  });
});

describe('the nearest effort of a list', () => {
  const steps = ['low', 'medium', 'high', 'max'] as const;

  it.each([
    ['none', 'low'],
    ['minimal', 'low'],
    ['medium', 'medium'],
    ['xhigh', 'high'],
    ['max', 'max'],
  ] as const)('replaces %s with %s', (effort, nearest) => {
    expect(nearestEffort(effort, steps)).toBe(nearest);
  });

  it('equals the effort itself if the list has it, and grows with it', () => {
    fc.assert(
      fc.property(efforts, efforts, (one, other) => {
        expect(nearestEffort(one, EFFORTS)).toBe(one);
        const [less, higher] = [one, other].toSorted((a, b) => rankOf(a) - rankOf(b));
        expect(rankOf(nearestEffort(less ?? one, steps))).toBeLessThanOrEqual(
          rankOf(nearestEffort(higher ?? one, steps)),
        );
      }),
    );
  });
});
