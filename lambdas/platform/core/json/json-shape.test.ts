import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { checkShape, MAX_VALUES } from './json-shape.ts';
import { MAX_DEPTH } from './lossless-json.ts';

/** The code and field of the refusal; undefined when there is none. */
function rejectionOf(text: string): readonly unknown[] | undefined {
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
        expect(rejectionOf(text)).toBeUndefined();
      }),
      { numRuns: 500 },
    );
  });

  it('counts the values of any JSON: the body fails exactly if it and the values next to it are too many', () => {
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
        const valueCount = count(value);
        const nextTo = (otherCount: number) => `[${JSON.stringify(value)},${numbers(otherCount)}]`;
        const remainingValues = MAX_VALUES - valueCount - 2;
        expect([valueCount, rejectionOf(nextTo(remainingValues))]).toEqual([valueCount, undefined]);
        expect([valueCount, rejectionOf(nextTo(remainingValues + 1))?.[0]]).toEqual([
          valueCount,
          'invalid_value',
        ]);
      }),
      { numRuns: 50 },
    );
  });

  it('names the field that has too much of it', () => {
    const many = numbers(MAX_VALUES + 1);
    expect(rejectionOf(`{"a":{"b":1},"input":${many}}`)).toEqual(['invalid_value', 'input']);
    expect(rejectionOf(`{"a":1, "quo\\"ted" : [{"inner":${many}}]}`)).toEqual(['invalid_value', 'quo\\"ted']);
    const long = JSON.stringify(Array(MAX_VALUES / 10 + 1).fill(0)).replaceAll('0', '9'.repeat(16));
    expect(rejectionOf(`{"seed":1,"ids":${long}}`)).toEqual(['invalid_value', 'ids']);
    expect(rejectionOf(many)).toEqual(['invalid_value', null]);
    expect(rejectionOf(`{"${'x'.repeat(100)}":${many}}`)).toEqual(['invalid_value', null]);
    expect(rejectionOf(`{"amount":1${'0'.repeat(500)}}`)).toEqual(['invalid_value', 'amount']);
  });

  it(`has at most ${MAX_DEPTH} levels`, () => {
    const levels = (count: number) => '['.repeat(count) + ']'.repeat(count);
    expect(rejectionOf(levels(MAX_DEPTH))).toBeUndefined();
    expect(rejectionOf(levels(MAX_DEPTH + 1))).toEqual(['invalid_json', null]);
    expect(rejectionOf(`["${'['.repeat(1000)}"]`)).toBeUndefined();
  });
});
