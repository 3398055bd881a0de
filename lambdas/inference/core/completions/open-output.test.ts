import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { openOutput } from '../metering/output-bound.ts';

/** A prompt that probably counts half of what it may count. */
const promptOf = (held: number, probable = held / 2) => ({ held: () => held, probable: () => probable });
const none = promptOf(0);

describe('the output of a response if the caller sets no bound', () => {
  it.each([
    ['what the model writes', { max_output_tokens: 16_384, context_window: 128_000 }, 16_384],
    ['a quarter of a window', { context_window: 32_768 }, 8_192],
    ['no more than 32,768 of a window', { context_window: 1_000_000 }, 32_768],
    ['32,768 where nothing is known', {}, 32_768],
  ])('ranges from 256 tokens up to %s', (_what, model, max) => {
    expect(openOutput([model], none)).toEqual({ min: 256, max });
  });

  it('equals the model’s limit if that is below 256 tokens', () => {
    for (const max_output_tokens of [1, 200])
      expect(openOutput([{ max_output_tokens }], none)).toEqual({
        min: max_output_tokens,
        max: max_output_tokens,
      });
  });

  it('uses the limit of the model that writes the least', () => {
    const models = [{ max_output_tokens: 9_000 }, { max_output_tokens: 1_000 }];
    expect(openOutput(models, none)).toEqual({ min: 256, max: 1_000 });
  });

  it('leaves room for the prompt in the window, and is the shortest where that is full', () => {
    const model = { max_output_tokens: 16_384, context_window: 20_000 };
    expect(openOutput([model], promptOf(3_616)).max).toBe(16_384);
    expect(openOutput([model], promptOf(20_000, 19_999))).toEqual({ min: 256, max: 256 });
  });

  it('equals the certain remainder of the window, or half of the probable remainder if that is more', () => {
    const model = { max_output_tokens: 16_384, context_window: 20_000 };
    expect(openOutput([model], promptOf(12_000)).max).toBe(8_000);
    expect(openOutput([model], promptOf(16_000)).max).toBe(6_000);
    expect(openOutput([model], promptOf(20_000, 5_000)).max).toBe(7_500);
  });

  it('never exceeds a model’s limit, and stays above 255 tokens if all models write that many', () => {
    const tokens = fc.integer({ min: 1, max: 2_000_000 });
    const model = fc.record({ max_output_tokens: tokens, context_window: tokens }, { requiredKeys: [] });
    fc.assert(
      fc.property(fc.array(model, { minLength: 1, maxLength: 4 }), tokens, (models, prompt) => {
        const { min, max } = openOutput(models, promptOf(prompt));
        const written = Math.min(...models.map(({ max_output_tokens = 32_768 }) => max_output_tokens));
        expect(max).toBeLessThanOrEqual(written);
        expect(min).toBe(Math.min(max, 256));
        expect(min).toBeGreaterThanOrEqual(1);
      }),
    );
  });
});
