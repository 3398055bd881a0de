import { describe, expect, it } from '@jest/globals';
import { priceUsage } from '../../core/metering/priced-usage.ts';
import { billableItemsFor, tokenPricesOf } from '../../testing/pricing/arbitraries.ts';
import { UsageReader } from './usage.ts';

describe('cached tokens, under the name that each vendor has for them', () => {
  it.each([
    [
      'DeepSeek (DeepSeek API docs, Context caching)',
      { prompt_tokens: 100_000, prompt_cache_hit_tokens: 90_000, prompt_cache_miss_tokens: 10_000 },
      { input: '0.435', cached_input: '0.0036', output: '0.87' },
      4_674_000n,
    ],
    [
      'Kimi (Moonshot AI docs, Chat completion)',
      { prompt_tokens: 100_000, cached_tokens: 90_000 },
      { input: '0.6', cached_input: '0.1', output: '3' },
      15_000_000n,
    ],
    [
      'OpenAI (OpenAI API reference, The chat completion object)',
      { prompt_tokens: 100_000, prompt_tokens_details: { cached_tokens: 90_000 } },
      { input: '5', cached_input: '0.5', output: '30' },
      95_000_000n,
    ],
  ])('cost their own price: %s', (_vendor, account, price, amount) => {
    const usage = new UsageReader(false).read({ usage: { ...account, completion_tokens: 0 } });
    if (usage === undefined) throw new Error('the account was not read');
    const prices = tokenPricesOf(price);
    expect(priceUsage(prices, billableItemsFor(prices), usage).amount).toBe(amount);
  });
});
