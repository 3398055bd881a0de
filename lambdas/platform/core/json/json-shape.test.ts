import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { parseUsd } from '../money.ts';
import { checkShape, MAX_VALUES } from './json-shape.ts';
import { MAX_DEPTH } from './lossless-json.ts';

/** The code and field of the refusal; undefined when there is none. */
function refusal(text: string): readonly unknown[] | undefined {
  try {
    checkShape(text);
    return undefined;
  } catch (failure) {
    const { code, param } = failure as { readonly code: string; readonly param: string | null };
    return [code, param];
  }
}

const numbers = (count: number) => JSON.stringify(Array(count).fill(0));

describe('the shape of a body', () => {
  it('allows any JSON of ordinary size, with any strings in it', () => {
    const anything = fc.oneof(
      fc.json(),
      fc.string().map((text) => JSON.stringify({ [text]: [text, `\\${text}"`] })),
    );
    fc.assert(
      fc.property(anything, (text) => {
        expect(refusal(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('counts the values of any JSON: it is refused exactly when it and the values beside it are too many', () => {
    // An empty list or object counts as if it had something in it.
    const count = (value: unknown): number => {
      // A whole part of 16 digits or more takes the room of ten values.
      if (typeof value === 'number' && Math.abs(value) >= 1e15 && Math.abs(value) < 1e21) return 10;
      if (typeof value !== 'object' || value === null) return 1;
      const inner = Object.values(value).reduce((sum: number, each) => sum + count(each), 0);
      return 1 + Math.max(1, inner);
    };
    const nested = fc.jsonValue({ maxDepth: 4 });
    fc.assert(
      fc.property(nested, (value) => {
        const own = count(value);
        const beside = (others: number) => `[${JSON.stringify(value)},${numbers(others)}]`;
        const left = MAX_VALUES - own - 2;
        expect([own, refusal(beside(left))]).toEqual([own, undefined]);
        expect([own, refusal(beside(left + 1))?.[0]]).toEqual([own, 'invalid_value']);
      }),
      { numRuns: 50 },
    );
  });

  it('names the field that has too much of it', () => {
    const many = numbers(MAX_VALUES + 1);
    expect(refusal(`{"a":{"b":1},"input":${many}}`)).toEqual(['invalid_value', 'input']);
    expect(refusal(`{"a":1, "quo\\"ted" : [{"inner":${many}}]}`)).toEqual(['invalid_value', 'quo\\"ted']);
    const long = JSON.stringify(Array(MAX_VALUES / 10 + 1).fill(0)).replaceAll('0', '9'.repeat(16));
    expect(refusal(`{"seed":1,"ids":${long}}`)).toEqual(['invalid_value', 'ids']);
    expect(refusal(many)).toEqual(['invalid_value', null]);
    expect(refusal(`{"${'x'.repeat(100)}":${many}}`)).toEqual(['invalid_value', null]);
    expect(refusal(`{"amount":1${'0'.repeat(500)}}`)).toEqual(['invalid_value', 'amount']);
  });

  it(`has at most ${MAX_DEPTH} levels`, () => {
    const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);
    expect(refusal(levels(MAX_DEPTH))).toBeUndefined();
    expect(refusal(levels(MAX_DEPTH + 1))).toEqual(['invalid_json', null]);
    expect(refusal(`["${'['.repeat(1000)}"]`)).toBeUndefined();
  });
});

describe('an amount of millions of digits', () => {
  it('fails to parse before any calculation with it', () => {
    expect(parseUsd('9'.repeat(32))).toBe(BigInt('9'.repeat(32)) * 1_000_000_000n);
    expect(parseUsd('9'.repeat(33))).toBeUndefined();
    expect(parseUsd(`0.${'0'.repeat(30)}`)).toBe(0n);
    expect(parseUsd(`1${'0'.repeat(5_000_000)}`)).toBeUndefined();
  });
});
