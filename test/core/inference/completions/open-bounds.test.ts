import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { openBounds } from '../../../../lambdas/core/inference/completions/open-bounds.ts';
import { it } from '../../../search.ts';

/** A prompt that probably counts half of what it may count. */
const promptOf = (most: number) => () => ({ most, probable: () => most / 2 });
const none = promptOf(0);

describe('the bounds of an answer whose caller leaves them to the service', () => {
  it.each([
    ['what the model writes', { max_output_tokens: 16_384, context_window: 128_000 }, [16_384, 4_096, 1_024]],
    ['a quarter of a window', { context_window: 32_768 }, [8_192, 2_048, 512]],
    ['no more than 32,768 of a window', { context_window: 1_000_000 }, [32_768, 8_192, 2_048, 512]],
    ['32,768 where nothing is known', {}, [32_768, 8_192, 2_048, 512]],
    ['one, of a model that writes little', { max_output_tokens: 200 }, [200]],
  ])('begin with %s and fall to about a thousand', (_what, model, bounds) => {
    expect(openBounds([model], none)).toEqual(bounds);
  });

  it('are those of the model that writes the least', () => {
    expect(openBounds([{ max_output_tokens: 9_000 }, { max_output_tokens: 1_000 }], none)).toEqual([1_000]);
  });

  it('leave room for the prompt in the window, and the shortest answer where that is full', () => {
    const model = { max_output_tokens: 16_384, context_window: 20_000 };
    expect(openBounds([model], promptOf(3_616))[0]).toBe(16_384);
    const full = () => ({ most: 20_000, probable: () => 19_999 });
    expect(openBounds([model], full)).toEqual([256]);
  });

  it('leave half of what the prompt probably leaves, where it may fill the window', () => {
    const model = { max_output_tokens: 16_384, context_window: 20_000 };
    expect(openBounds([model], promptOf(12_000))[0]).toBe(8_000);
    expect(openBounds([model], promptOf(16_000))[0]).toBe(6_000);
    expect(openBounds([model], () => ({ most: 20_000, probable: () => 5_000 }))[0]).toBe(7_500);
  });

  it('are few, fall, and are never longer than the model writes nor shorter than 256 where it writes that', () => {
    const tokens = fc.integer({ min: 1, max: 2_000_000 });
    const model = fc.record({ max_output_tokens: tokens, context_window: tokens }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(model, { minLength: 1, maxLength: 4 }), tokens, (models, prompt) => {
        const bounds = openBounds(models, promptOf(prompt));
        expect(bounds.length).toBeLessThanOrEqual(8);
        expect(bounds).toEqual([...new Set(bounds)].toSorted((a, b) => b - a));
        const most = Math.min(...models.map(({ max_output_tokens = 32_768 }) => max_output_tokens));
        expect(bounds[0]).toBeLessThanOrEqual(most);
        expect(bounds[0]).toBeGreaterThanOrEqual(1);
        if (bounds.length > 1) expect(bounds.at(-1)).toBeGreaterThanOrEqual(256);
        expect(bounds.at(-1)).toBeLessThanOrEqual(1_024);
      }),
    );
  });
});
