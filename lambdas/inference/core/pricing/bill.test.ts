import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import {
  billableItemsFor,
  pricesOf,
  report,
  tokenPrices,
  tokenPricesOf,
} from '../../testing/pricing/arbitraries.ts';
import type { PricedFeature } from '../fields/need.ts';
import { priceUsage } from '../metering/priced-usage.ts';
import { amountOf, billOf, imageItem } from './bill.ts';
import { unitCounts } from './counts.ts';
import type { TokenPrices } from './prices.ts';
import type { TokenUsage } from './token-usage.ts';

const usageOf = (usage: Partial<TokenUsage>): TokenUsage => ({
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  ...usage,
});

const MILLION = 1_000_000;

/** The bill of this usage by a call with these priced features. */
const billFor = (prices: TokenPrices, usage: Partial<TokenUsage>, ...features: readonly PricedFeature[]) =>
  priceUsage(prices, billableItemsFor(prices, features), usageOf(usage));

const audioInput: PricedFeature = { kind: 'tokens', rate: 'audio_input', param: 'messages' };
const audioOutput: PricedFeature = { kind: 'tokens', rate: 'audio_output', param: 'audio' };

const quantitiesIn = ({ lines }: ReturnType<typeof billFor>) =>
  Object.fromEntries(lines.map(({ item, quantity }) => [item, quantity]));

describe('the bill of a call', () => {
  // Claude API docs, Pricing: $5 a million tokens; cache writes 1.25 times that for 5 minutes, twice that for an hour.
  const opus = tokenPricesOf({
    input: '5',
    output: '25',
    cached_input: '0.5',
    cache_writes: { '5m': '6.25', '1h': '10' },
    service_tiers: { fast: { factor: '6' } },
    regions: { us: { factor: '1.1' } },
    features: { web_search: { price: '0.01' } },
  });
  // OpenAI docs, GPT-5.5: prompts from 272,000 tokens on at twice the input and 1.5 times the output.
  const gpt = tokenPricesOf({
    input: '5',
    output: '30',
    cached_input: '0.5',
    tiers: [{ above: 271_999, input: '10', output: '45', cached_input: '1' }],
    service_tiers: {
      priority: {
        input: '12.5',
        output: '75',
        cached_input: '1.25',
        tiers: [{ above: 271_999, input: '25', output: '112.5', cached_input: '2.5' }],
      },
    },
  });

  it('equals 1.25 times the input price for a cache write of 5 minutes, and twice the price for an hour', () => {
    const writes = (lifetime: '5m' | '1h') =>
      billFor(
        opus,
        { promptTokens: 202_000, cacheWrites: { [lifetime]: 200_000 } },
        { kind: 'cache-write', lifetime, param: 'system' },
      );
    // 2,000 fresh tokens: $0.01.
    expect(writes('5m').amount).toBe(1_260_000_000n);
    expect(writes('1h').amount).toBe(2_010_000_000n);
    expect(writes('1h').lines).toEqual([
      { item: 'cache_write_1h', quantity: 200_000, price: 10_000_000_000n, per: MILLION },
      { item: 'input', quantity: 2_000, price: 5_000_000_000n, per: MILLION },
    ]);
  });

  it('equals the price of its tier for the whole of a long prompt', () => {
    const of = (promptTokens: number) => billFor(gpt, { promptTokens, completionTokens: 1_000 }).amount;
    expect(of(300_000)).toBe(3_045_000_000n);
    expect(of(271_999)).toBe(1_359_995_000n + 30_000_000n);
    expect(of(272_000)).toBe(2_720_000_000n + 45_000_000n);
  });

  it('equals the price of the tier that was used, if the caller requested it', () => {
    const usage = { promptTokens: 100_000, completionTokens: 1_000 };
    const requested: PricedFeature = { kind: 'service-tier', name: 'priority', param: 'service_tier' };
    expect(billFor(gpt, usage, requested).amount).toBe(1_325_000_000n);
    expect(billFor(gpt, { ...usage, serviceTier: 'priority' }, requested).amount).toBe(1_325_000_000n);
    expect(billFor(gpt, { ...usage, serviceTier: 'standard' }, requested).amount).toBe(530_000_000n);
    // Nobody asked for it.
    expect(billFor(gpt, { ...usage, serviceTier: 'priority' }).amount).toBe(530_000_000n);
  });

  it('includes the factors of the tier and region that were used', () => {
    const billableItems = billableItemsFor(opus, [
      { kind: 'service-tier', name: 'fast', param: 'speed' },
      { kind: 'region', name: 'us', param: 'inference_geo' },
    ]);
    const usage = usageOf({ promptTokens: 1_000, completionTokens: 100 });
    expect(priceUsage(opus, billableItems, usage).amount).toBe(49_500_000n);
    expect(priceUsage(opus, billableItems, { ...usage, region: 'standard' }).amount).toBe(45_000_000n);
    expect(priceUsage(opus, billableItems, { ...usage, serviceTier: 'standard' }).amount).toBe(8_250_000n);
  });

  it('includes a line for the searches of the provider’s own tool, up to the requested maximum', () => {
    const search: PricedFeature = { kind: 'server-tool', name: 'web_search', maxUses: 3, param: 'tools[0]' };
    const usageWith = (searches: number) => ({ promptTokens: 1_000, uses: { web_search: searches } });
    expect(billFor(opus, usageWith(2), search).amount).toBe(25_000_000n);
    expect(billFor(opus, usageWith(9), search).amount).toBe(35_000_000n);
    expect(billFor(opus, usageWith(2)).amount).toBe(5_000_000n);
  });

  it('includes the minimum uses in the catalog if the provider counts none', () => {
    const searching = tokenPricesOf({
      input: '1',
      features: { web_search: { price: '0.01', min_uses: 1, max_uses: 1 } },
    });
    const search: PricedFeature = { kind: 'server-tool', name: 'web_search', maxUses: undefined, param: 'a' };
    expect(billFor(searching, {}, search).amount).toBe(10_000_000n);
    expect(billFor(searching, {}).amount).toBe(0n);
  });

  it('equals the price of the most expensive requested lifetime if the route does not report which one it wrote', () => {
    const of = (lifetimes: readonly string[], cacheWrites: TokenUsage['cacheWrites']) => {
      const features = lifetimes.map((lifetime) => ({ kind: 'cache-write', lifetime, param: 'a' }) as const);
      return billFor(opus, { promptTokens: 1_000, cacheWrites }, ...features).amount;
    };
    expect(of(['5m', '1h'], { auto: 1_000 })).toBe(10_000_000n);
    expect(of(['5m'], { auto: 1_000 })).toBe(6_250_000n);
    expect(of(['1h'], { '5m': 1_000 })).toBe(10_000_000n);
    expect(of([], { '1h': 1_000 })).toBe(5_000_000n);
  });

  it('depends on the type of token if one has a separate price', () => {
    const voice = tokenPricesOf({
      input: '2.5',
      output: '10',
      cached_input: '1.25',
      reasoning_output: '12',
      audio_input: '40',
      cached_audio_input: '2.5',
      audio_output: '80',
      image_input: '5',
    });
    const usage = {
      promptTokens: 1_000,
      cachedTokens: 300,
      audioInputTokens: 400,
      cachedAudioTokens: 100,
      imageInputTokens: 50,
      completionTokens: 500,
      audioOutputTokens: 200,
      reasoningTokens: 100,
    };
    expect(quantitiesIn(billFor(voice, usage, audioInput, audioOutput))).toEqual({
      audio_input: 300,
      cached_audio_input: 100,
      cached_input: 200,
      image_input: 50,
      input: 350,
      audio_output: 200,
      reasoning_output: 100,
      output: 200,
    });
  });

  it('includes only the cached images that fit in the cached tokens after cached audio', () => {
    const voice = tokenPricesOf({
      input: '2.5',
      output: '10',
      cached_input: '1.25',
      audio_input: '40',
      cached_audio_input: '2.5',
      image_input: '5',
      cached_image_input: '0.5',
    });
    const usage = {
      promptTokens: 100,
      cachedTokens: 10,
      completionTokens: 0,
      audioInputTokens: 8,
      cachedAudioTokens: 8,
      imageInputTokens: 8,
      cachedImageTokens: 8,
    };
    expect(quantitiesIn(billFor(voice, usage, audioInput))).toEqual({
      cached_audio_input: 8,
      cached_image_input: 2,
      image_input: 6,
      input: 84,
    });
  });
});

describe('a bill of tokens', () => {
  it('counts every token of the prompt and of the completion once, whatever a route reports of their parts', () => {
    fc.assert(
      fc.property(tokenPrices, report, (prices, usage) => {
        const { lines } = billFor(prices, usage);
        const sumOf = (predicate: (item: string) => boolean) =>
          lines.filter(({ item }) => predicate(item)).reduce((sum, { quantity }) => sum + quantity, 0);
        const isOutput = (item: string) => item === 'output' || item.endsWith('_output');
        expect(sumOf(isOutput)).toBe(usage.completionTokens);
        expect(sumOf((item) => !isOutput(item) && item !== 'request')).toBe(usage.promptTokens);
        expect(lines.every(({ quantity }) => quantity > 0 && Number.isInteger(quantity))).toBe(true);
      }),
    );
  });

  it('equals the sum of its lines, rounded up once', () => {
    fc.assert(
      fc.property(tokenPrices, report, (prices, usage) => {
        const { lines, amount } = billFor(prices, usage);
        const exact = lines.reduce(
          (sum, { quantity, price, per }) => sum + (BigInt(quantity) * price * 1_000_000n) / BigInt(per),
          0n,
        );
        expect(amount * 1_000_000n - exact).toBeGreaterThanOrEqual(0n);
        expect(amount * 1_000_000n - exact).toBeLessThan(1_000_000n);
        expect(amountOf(lines)).toBe(amount);
      }),
    );
  });

  it('uses the base price for token types without a separate price', () => {
    const plain = tokenPricesOf({ input: '3', output: '15' });
    fc.assert(
      fc.property(report, (usage) => {
        const { promptTokens, completionTokens } = usage;
        expect(billFor(plain, usage).amount).toBe(
          3_000n * BigInt(promptTokens) + 15_000n * BigInt(completionTokens),
        );
      }),
    );
  });

  it('includes the price of a request once, and none for a call that counted nothing', () => {
    const searched = tokenPricesOf({ input: '1', output: '1', request: '0.005' });
    expect(billFor(searched, { promptTokens: 1 }).amount).toBe(5_001_000n);
    expect(billFor(searched, {}).amount).toBe(0n);
  });
});

describe('a bill of another unit', () => {
  const measured = {
    tokens: 10,
    characters: 40,
    seconds: 90,
    images: new Map([[imageItem('high', '1024x1024'), 2]]),
  };
  it.each([
    ['an image', { unit: 'per_image', image: '0.04' }, 80_000_000n],
    [
      'an image of a quality and a size',
      {
        unit: 'per_image',
        image: '0.04',
        variants: [
          { quality: 'high', size: '512x512', image: '0.1' },
          { quality: 'high', image: '0.167' },
          { size: '1024x1024', image: '0.05' },
        ],
      },
      334_000_000n,
    ],
    ['a minute', { unit: 'per_minute', minute: '0.006' }, 9_000_000n],
    ['a second', { unit: 'per_second', second: '0.0001' }, 9_000_000n],
    ['an hour', { unit: 'per_hour', hour: '0.111' }, 2_775_000n],
    ['a million characters', { unit: 'per_million_characters', character: '15' }, 600_000n],
    ['a request', { unit: 'per_request', request: '0.01' }, 10_000_000n],
    ['a million tokens', { unit: 'per_million_tokens', input: '0.02' }, 200n],
  ])('charges by %s', (_unit, document, amount) => {
    const prices = pricesOf(document);
    expect(billOf(prices, unitCounts(prices.unit, measured)).amount).toBe(amount);
  });

  it('charges by the exact length, rounded up to a whole nano-dollar', () => {
    const prices = pricesOf({ unit: 'per_minute', minute: '0.000000001' });
    expect(billOf(prices, unitCounts('per_minute', { seconds: 0.001 })).amount).toBe(1n);
    expect(amountOf([{ quantity: 0.5, price: 6_000_000n, per: 60 }])).toBe(50_000n);
  });
});
