import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { decode, decodeFor } from '../../testing/providers/openai/decoding.ts';
import { CALL, CONVERTED } from '../../testing/providers/openai/fixtures.ts';
import { accountOf, amount, noAccount, valuesOf } from '../../testing/providers/reported-usage.ts';
import { collect, wire } from '../../testing/providers/streams.ts';
import { toRouteResponse } from './response.ts';
import { toUsage } from './usage.ts';

type ExpectedUsage = Partial<TokenUsage>;

/** Accounts as vendors document them, or as they were recorded; each row names where. */
const DIALECTS: readonly (readonly [string, object, ExpectedUsage])[] = [
  [
    'OpenAI docs, Prompt caching: read, written and neither',
    {
      prompt_tokens: 2600,
      completion_tokens: 300,
      total_tokens: 2900,
      prompt_tokens_details: { cached_tokens: 2000, cache_write_tokens: 400 },
    },
    { promptTokens: 2600, cachedTokens: 2000, cacheWrites: { auto: 400 } },
  ],
  [
    'OpenAI API reference, The chat completion object: audio and images',
    {
      prompt_tokens: 120,
      completion_tokens: 90,
      total_tokens: 210,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 30, image_tokens: 50, text_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 64, audio_tokens: 20, text_tokens: 6 },
    },
    { audioInputTokens: 30, imageInputTokens: 50, reasoningTokens: 64, audioOutputTokens: 20 },
  ],
  [
    'DeepSeek API docs, Context caching',
    {
      prompt_tokens: 1024,
      completion_tokens: 8,
      total_tokens: 1032,
      prompt_cache_hit_tokens: 960,
      prompt_cache_miss_tokens: 64,
    },
    { promptTokens: 1024, cachedTokens: 960, completionTokens: 8 },
  ],
  [
    'Kimi, recorded: both spellings, within the prompt (github.com/Bike4Mind/bike4mind/pull/1089)',
    {
      prompt_tokens: 2989,
      completion_tokens: 7,
      total_tokens: 2996,
      cached_tokens: 2989,
      prompt_tokens_details: { cached_tokens: 2989 },
    },
    { promptTokens: 2989, cachedTokens: 2989 },
  ],
  [
    'Kimi API docs, Chat: at the top alone',
    { prompt_tokens: 300, completion_tokens: 7, total_tokens: 307, cached_tokens: 256 },
    { cachedTokens: 256 },
  ],
  [
    'xAI, recorded: reasoning beside the completion, as the total shows (github.com/vercel/ai/pull/12425)',
    {
      prompt_tokens: 12,
      completion_tokens: 2,
      total_tokens: 354,
      num_sources_used: 0,
      prompt_tokens_details: { text_tokens: 12, cached_tokens: 11 },
      completion_tokens_details: { reasoning_tokens: 340, audio_tokens: 0 },
    },
    { cachedTokens: 11, completionTokens: 342, reasoningTokens: 340 },
  ],
  [
    'xAI docs, Live Search: sources',
    { prompt_tokens: 12, completion_tokens: 2, total_tokens: 14, num_sources_used: 4 },
    { uses: { live_search: 4 } },
  ],
  [
    'Gemini, recorded: thoughts in the total alone (github.com/pydantic/genai-prices, tests/dataset)',
    { prompt_tokens: 35, completion_tokens: 12, total_tokens: 109 },
    { promptTokens: 35, completionTokens: 74, reasoningTokens: 62 },
  ],
  [
    'OpenRouter docs, Usage accounting',
    {
      prompt_tokens: 194,
      completion_tokens: 2,
      total_tokens: 196,
      cost: 0.95,
      prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 100, audio_tokens: 0, video_tokens: 40 },
      completion_tokens_details: { reasoning_tokens: 0, image_tokens: 1 },
    },
    { cacheWrites: { auto: 100 }, videoInputTokens: 40, imageOutputTokens: 1, completionTokens: 2 },
  ],
  [
    'OpenRouter API reference, server_tool_use: a search is not counted twice',
    {
      prompt_tokens: 9,
      completion_tokens: 2,
      total_tokens: 11,
      server_tool_use: { web_search_requests: 2, tool_calls_requested: 2, tool_calls_executed: 2 },
      server_tool_use_details: { web_search_requests: 2 },
    },
    { uses: { web_search: 2 } },
  ],
  [
    'Alibaba Cloud Model Studio, Context cache: an explicit one',
    {
      prompt_tokens: 1600,
      completion_tokens: 20,
      total_tokens: 1620,
      prompt_tokens_details: { cached_tokens: 0, cache_creation_input_tokens: 1500, cache_type: 'ephemeral' },
    },
    { cacheWrites: { auto: 1500 }, cachedTokens: 0 },
  ],
  [
    'LiteLLM docs, Prompt caching: split by lifetime, under several names',
    {
      prompt_tokens: 200,
      completion_tokens: 50,
      total_tokens: 250,
      cache_creation_input_tokens: 30,
      prompt_tokens_details: {
        cached_tokens: 80,
        audio_tokens: 60,
        cache_write_tokens: 30,
        cache_creation_tokens: 30,
        cached_tokens_details: { audio_tokens: 40, image_tokens: 5 },
        cache_creation_token_details: { ephemeral_5m_input_tokens: 10, ephemeral_1h_input_tokens: 20 },
        web_search_requests: 3,
      },
    },
    {
      cachedTokens: 80,
      audioInputTokens: 60,
      cachedAudioTokens: 40,
      cachedImageTokens: 5,
      cacheWrites: { '5m': 10, '1h': 20 },
      uses: { web_search: 3 },
    },
  ],
  [
    'Mistral, recorded (github.com/pydantic/genai-prices, tests/dataset)',
    { prompt_tokens: 70, completion_tokens: 12, total_tokens: 82, num_cached_tokens: 69 },
    { cachedTokens: 69 },
  ],
  [
    'SGLang, recorded: reasoning at the top, within the completion (github.com/sgl-project/sglang/pull/17156)',
    {
      prompt_tokens: 29,
      completion_tokens: 105,
      total_tokens: 134,
      prompt_tokens_details: null,
      reasoning_tokens: 90,
    },
    { completionTokens: 105, reasoningTokens: 90 },
  ],
  [
    'Perplexity API reference, usage',
    {
      prompt_tokens: 33,
      completion_tokens: 700,
      total_tokens: 733,
      search_context_size: 'low',
      num_search_queries: 18,
      citation_tokens: 2000,
    },
    { promptTokens: 33, completionTokens: 700, uses: { web_search: 18 } },
  ],
];

describe('the account of a server', () => {
  it.each(DIALECTS)('follows the vendor’s documentation: %s', (_source, usage, expected) => {
    expect(toUsage(usage, false)).toMatchObject(expected);
  });

  it('yields no details if it contains only plain counts', () => {
    const usage = {
      prompt_tokens: 5,
      completion_tokens: 9,
      total_tokens: 14,
      prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0, cache_write_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: 0 },
      server_tool_use: { web_search_requests: 0 },
    };
    const { promptTokens, cachedTokens, completionTokens, ...parts } = toUsage(usage, false) ?? {};
    expect([promptTokens, cachedTokens, completionTokens]).toEqual([5, 0, 9]);
    expect(Object.values(parts).filter((part) => part !== undefined)).toEqual([]);
  });

  it.each<[string, object]>([
    ['is explained by the cache', { cached_tokens: 8, total_tokens: 22 }],
    ['is not the reasoning', { total_tokens: 24, completion_tokens_details: { reasoning_tokens: 3 } }],
    ['is less than nothing', { total_tokens: 3 }],
    ['is no count', { total_tokens: Number.NaN }],
    ['is not there', { total_tokens: 14, completion_tokens_details: { reasoning_tokens: 4 } }],
  ])('adds no output to its completion if the excess of the total %s', (_why, fields) => {
    const usage = toUsage({ prompt_tokens: 5, completion_tokens: 9, ...fields }, false);
    expect(usage).toMatchObject({ promptTokens: 5, completionTokens: 9 });
  });

  it('yields only valid counts, whatever the server sends', () => {
    const input = accountOf(
      ['cached_tokens', 'cache_write_tokens', 'cache_creation_tokens', 'audio_tokens', 'image_tokens'],
      {
        cache_creation_token_details: accountOf(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']),
        cached_tokens_details: accountOf(['audio_tokens', 'image_tokens']),
      },
    );
    const output = accountOf(['reasoning_tokens', 'audio_tokens', 'image_tokens', 'video_tokens']);
    const tops = ['total_tokens', 'cached_tokens', 'prompt_cache_hit_tokens', 'reasoning_tokens'];
    const usage = accountOf([...tops, 'num_search_queries', 'num_sources_used'], {
      prompt_tokens: fc.oneof(fc.nat(), amount),
      completion_tokens: fc.oneof(fc.nat(), amount),
      prompt_tokens_details: fc.oneof(input, amount),
      completion_tokens_details: fc.oneof(output, amount),
      server_tool_use: fc.oneof(accountOf(['web_search_requests']), amount),
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: usage }, noAccount), (reported) => {
        const read = toUsage(reported, true);
        const { prompt_tokens: prompt, completion_tokens: completion } = Object(reported);
        expect(read === undefined).toBe(!isTokenCount(prompt) || !isTokenCount(completion));
        expect(valuesOf(read).filter((count) => !isTokenCount(count))).toEqual([]);
        expect(read?.cachedTokens ?? 0).toBeLessThanOrEqual(read?.promptTokens ?? 0);
      }),
      { numRuns: rounds(300) },
    );
  });
});

const USAGE = { prompt_tokens: 19, completion_tokens: 13, total_tokens: 32 };
const COUNTED = { promptTokens: 19, completionTokens: 13 };

const chunk = (fields: object = {}, choice: object = {}) => ({
  choices: [{ index: 0, delta: { content: 'x' }, finish_reason: null, ...choice }],
  ...fields,
});
const LAST = { finish_reason: 'stop' };

const streamed = (...chunks: readonly object[]) => wire(...chunks, '[DONE]');

const finalUsage = async (bytes: Uint8Array): Promise<TokenUsage | undefined> =>
  (await collect(decode(bytes))).findLast(({ usage }) => usage !== undefined)?.usage;

describe('the account of a stream', () => {
  it.each<[string, readonly object[]]>([
    ['a chunk of its own', [chunk(), chunk({}, LAST), { choices: [], usage: USAGE }]],
    ['the last choice’s chunk', [chunk(), chunk({ usage: USAGE }, LAST)]],
    [
      'every chunk, growing',
      [chunk({ usage: { ...USAGE, completion_tokens: 1 } }), chunk({ usage: USAGE }, LAST)],
    ],
    ['Groq’s own field', [chunk(), chunk({ x_groq: { id: 'r', usage: USAGE } }, LAST)]],
    ['the choice, as Moonshot has it', [chunk(), chunk({}, { ...LAST, usage: USAGE })]],
    [
      'the choice and a chunk after it (Moonshot)',
      [chunk({}, { ...LAST, usage: USAGE }), { choices: [], usage: { ...USAGE, cached_tokens: 4 } }],
    ],
  ])('appears in %s', async (_where, chunks) => {
    expect(await finalUsage(streamed(...chunks))).toMatchObject(COUNTED);
  });

  it('includes everything that its chunks report', async () => {
    const usage = {
      ...USAGE,
      total_tokens: 40,
      num_sources_used: 2,
      prompt_tokens_details: { cached_tokens: 4, cache_write_tokens: 6 },
      completion_tokens_details: { reasoning_tokens: 8 },
    };
    const chunks = [chunk({ service_tier: 'flex' }), chunk({ x_groq: { usage: USAGE } }, LAST)];
    const end = { choices: [], usage, service_tier: 'priority' };
    expect(await finalUsage(streamed(...chunks, end))).toMatchObject({
      promptTokens: 19,
      cachedTokens: 4,
      completionTokens: 21,
      reasoningTokens: 8,
      cacheWrites: { auto: 6 },
      uses: { live_search: 2 },
      serviceTier: 'priority',
    });
  });

  it('reaches no caller in the chunks', async () => {
    const chunks = [chunk({ usage: USAGE, x_groq: { usage: USAGE } }, { ...LAST, usage: USAGE })];
    const events = await collect(decode(streamed(...chunks)));
    expect(JSON.stringify(events.map(({ nativeEvent }) => nativeEvent))).not.toContain('prompt_tokens');
  });

  it('reaches callers of other protocols too', async () => {
    const bytes = streamed(chunk({}, { ...LAST, usage: { ...USAGE, cached_tokens: 3 } }));
    const events = await collect(decodeFor(CONVERTED, bytes));
    expect(events.flatMap(({ usage }) => usage ?? [])).toEqual([{ ...COUNTED, cachedTokens: 3 }]);
  });
});

describe('the service tier that was used', () => {
  /**
   * Returns the tier that a stream reports. Also checks that a complete response with the last tier reports the same.
   */
  const tierOf = async (...tiers: readonly unknown[]) => {
    const chunks = tiers.map((service_tier) => chunk({ service_tier }));
    const usage = await finalUsage(streamed(...chunks, { choices: [], usage: USAGE }));
    expect(usage).toMatchObject(COUNTED);
    return usage?.serviceTier;
  };

  it.each([
    ['default', 'standard'],
    ['on_demand', 'standard'],
    ['priority', 'priority'],
    ['flex', 'flex'],
    ['fast', 'fast'],
    ['auto', undefined],
    [null, undefined],
    [7, undefined],
    ['Not a name', undefined],
    ['x'.repeat(33), undefined],
  ])('uses the name that prices use: %j', async (named, expected) => {
    expect(await tierOf(named)).toBe(expected);
    const completion = { choices: [{ index: 0, message: { content: 'x' } }], usage: USAGE };
    expect(toRouteResponse({ ...completion, service_tier: named }, CALL).usage).toEqual({
      ...COUNTED,
      cachedTokens: 0,
      reported: USAGE,
      serviceTier: expected,
    });
  });

  it('equals the last one that a stream reports', async () => {
    expect(await tierOf('priority', 'default')).toBe('standard');
    expect(await tierOf('default', null, 'flex', undefined)).toBe('flex');
  });

  it('counts also if it follows the usage', async () => {
    const chunks = [chunk({ usage: USAGE }), chunk({ service_tier: 'flex' }, LAST)];
    expect(await finalUsage(streamed(...chunks))).toMatchObject({ ...COUNTED, serviceTier: 'flex' });
  });
});
