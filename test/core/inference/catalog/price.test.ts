import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { type Model, parseCatalog } from '../../../../lambdas/core/inference/catalog/catalog-document.ts';
import {
  coverBoth,
  durationCost,
  imageCost,
  minutePrice,
  promptCost,
  tokenCost,
} from '../../../../lambdas/core/inference/catalog/price.ts';
import { isTokenCount } from '../../../../lambdas/core/inference/pricing/token-usage.ts';

/** Prices in USD: of a million tokens, of an image, or of a minute. */
function modelOf(type: string, price: object): Model {
  const route = {
    id: 'r',
    protocol: 'openai',
    base_url: 'https://a.test',
    upstream_model: 'b',
    secret: 'env:K',
  };
  const [model] = parseCatalog({
    models: [{ id: 'a/b', type, owned_by: 'a', created: 1, price, routes: [route] }],
  }).models;
  if (model === undefined) throw new Error('the catalog is empty');
  return model;
}

const chat = (price: object) =>
  modelOf('chat', { unit: 'per_million_tokens', input: 3, output: 15, ...price });
const tokens = fc.integer({ min: 0, max: 10_000_000 });

describe('the cost of tokens', () => {
  const plain = chat({});
  const caching = chat({ cached_input: 0.3 });

  it.each([
    ['prompt', { promptTokens: 1_000_000, cachedTokens: 0, completionTokens: 0 }, 3_000_000_000n],
    ['completion', { promptTokens: 0, cachedTokens: 0, completionTokens: 1_000_000 }, 15_000_000_000n],
    ['cached', { promptTokens: 1_000_000, cachedTokens: 1_000_000, completionTokens: 0 }, 300_000_000n],
  ])('is by the price of a million: %s tokens', (_case, usage, cost) => {
    expect(tokenCost(caching, usage)).toBe(cost);
  });

  it('takes cached tokens for input where the catalog has no price for them', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (promptTokens, cachedTokens, completionTokens) => {
        const usage = { promptTokens, completionTokens };
        expect(tokenCost(plain, { ...usage, cachedTokens })).toBe(
          tokenCost(plain, { ...usage, cachedTokens: 0 }),
        );
      }),
    );
  });

  it('grows with each kind of token, and is less by the discount of each cached one', () => {
    fc.assert(
      fc.property(tokens, tokens, tokens, (fresh, cachedTokens, completionTokens) => {
        const usage = { promptTokens: fresh + cachedTokens, cachedTokens, completionTokens };
        const exact =
          3_000n * BigInt(fresh) + 300n * BigInt(cachedTokens) + 15_000n * BigInt(completionTokens);
        expect(tokenCost(caching, usage)).toBe(exact);
      }),
    );
  });

  it('has no more cached tokens than prompt tokens', () => {
    const usage = { promptTokens: 10, cachedTokens: 1_000, completionTokens: 0 };
    expect(tokenCost(caching, usage)).toBe(3_000n);
  });

  it('is rounded up to a whole nano-dollar, once', () => {
    const cheap = chat({ input: 0.0001, output: 0.0001 });
    expect(tokenCost(cheap, { promptTokens: 1, cachedTokens: 0, completionTokens: 1 })).toBe(1n);
    expect(tokenCost(cheap, { promptTokens: 10, cachedTokens: 0, completionTokens: 1 })).toBe(2n);
  });

  it('of a prompt alone is that of its input', () => {
    expect(promptCost(caching, 7)).toBe(21_000n);
  });
});

describe('the cost of other units', () => {
  const images = modelOf('image', { unit: 'per_image', image: 0.04 });
  const audio = modelOf('audio', { unit: 'per_minute', minute: 0.006 });

  it('is by the image', () => {
    expect(imageCost(images, 3)).toBe(120_000_000n);
  });

  it('is by the second, rounded up to a whole nano-dollar', () => {
    expect(minutePrice(audio)).toBe(6_000_000n);
    expect(durationCost(6_000_000n, 90)).toBe(9_000_000n);
    expect(durationCost(6_000_000n, 0.5)).toBe(50_000n);
    expect(durationCost(1n, 0.001)).toBe(1n);
  });

  it('is never taken of a model that is billed by another', () => {
    expect(() => tokenCost(images, { promptTokens: 1, cachedTokens: 0, completionTokens: 1 })).toThrow(
      'tokens',
    );
    expect(() => imageCost(audio, 1)).toThrow('image');
    expect(() => minutePrice(images)).toThrow('minute');
  });
});

describe('a bound that covers two', () => {
  it('has the greater amount and the greater ceiling, whichever has them', () => {
    const [a, b] = [
      { amount: 5n, ceiling: 6n },
      { amount: 2n, ceiling: 9n },
    ];
    expect(coverBoth(a, b)).toEqual({ amount: 5n, ceiling: 9n });
    expect(coverBoth(b, a)).toEqual({ amount: 5n, ceiling: 9n });
  });
});

describe('a number of tokens', () => {
  it.each([0, 1, Number.MAX_SAFE_INTEGER])('may be %s', (value) => {
    expect(isTokenCount(value)).toBe(true);
  });

  it.each([-1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '1', null, undefined])('is not %s', (value) => {
    expect(isTokenCount(value)).toBe(false);
  });
});
