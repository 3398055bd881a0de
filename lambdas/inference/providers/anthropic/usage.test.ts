import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { isTokenCount, type TokenUsage } from '../../core/pricing/token-usage.ts';
import { block, change, closed, decode, READINGS, STOP } from '../../testing/providers/anthropic/decoding.ts';
import { NATIVE } from '../../testing/providers/anthropic/fixtures.ts';
import { accountOf, amount, noAccount, valuesOf } from '../../testing/providers/reported-usage.ts';
import { collect, wire } from '../../testing/providers/streams.ts';
import { toUsage } from './usage.ts';

/** Accounts as the vendor documents them, or as they were recorded; each row names where. */
const DOCUMENTED: readonly (readonly [string, object, Partial<TokenUsage>])[] = [
  [
    'Claude docs, Web search tool, Usage and pricing: a total without its split',
    {
      input_tokens: 105,
      output_tokens: 6039,
      cache_read_input_tokens: 7123,
      cache_creation_input_tokens: 7345,
      server_tool_use: { web_search_requests: 1 },
    },
    {
      promptTokens: 105 + 7123 + 7345,
      cachedTokens: 7123,
      completionTokens: 6039,
      cacheWrites: { auto: 7345 },
      uses: { web_search: 1 },
    },
  ],
  [
    'Claude docs, Prompt caching, 1-hour cache: a split of more than its total, by which it is bounded',
    {
      input_tokens: 2048,
      cache_read_input_tokens: 1800,
      cache_creation_input_tokens: 248,
      cache_creation: { ephemeral_5m_input_tokens: 456, ephemeral_1h_input_tokens: 100 },
      output_tokens: 503,
    },
    { promptTokens: 2048 + 1800 + 248, cachedTokens: 1800, cacheWrites: { '5m': 248 } },
  ],
  [
    'a split of less than its total: the rest is of no known lifetime',
    {
      input_tokens: 5,
      cache_creation_input_tokens: 900,
      output_tokens: 1,
      cache_creation: { ephemeral_5m_input_tokens: 100, ephemeral_1h_input_tokens: 600 },
    },
    { promptTokens: 905, cacheWrites: { '5m': 100, '1h': 600, auto: 200 } },
  ],
  [
    'Claude docs, Compaction, Usage: what compacts is not in the figures at the top',
    {
      input_tokens: 23_000,
      output_tokens: 1_000,
      iterations: [
        { type: 'compaction', input_tokens: 180_000, output_tokens: 3_500 },
        { type: 'message', input_tokens: 23_000, output_tokens: 1_000 },
      ],
    },
    { promptTokens: 203_000, completionTokens: 4_500 },
  ],
  [
    'compaction with a cache, recorded (github.com/pydantic/genai-prices, tests/dataset)',
    {
      input_tokens: 180,
      output_tokens: 8,
      cache_creation_input_tokens: 0,
      iterations: [
        {
          type: 'compaction',
          input_tokens: 100,
          output_tokens: 82,
          cache_creation_input_tokens: 55_096,
          cache_creation: { ephemeral_1h_input_tokens: 0, ephemeral_5m_input_tokens: 55_096 },
        },
        { type: 'message', input_tokens: 180, output_tokens: 8 },
      ],
    },
    { promptTokens: 280 + 55_096, completionTokens: 90, cacheWrites: { '5m': 55_096 } },
  ],
  [
    'an advisor, recorded (github.com/pydantic/genai-prices, tests/dataset)',
    {
      input_tokens: 2390,
      output_tokens: 200,
      iterations: [
        { type: 'message', input_tokens: 1128, output_tokens: 110 },
        { type: 'advisor_message', model: 'claude-opus-4-8', input_tokens: 2518, output_tokens: 22 },
        { type: 'message', input_tokens: 1262, output_tokens: 90 },
      ],
    },
    { promptTokens: 2390 + 2518, completionTokens: 222 },
  ],
  [
    'Claude API reference, Usage: thoughts, tools, tier and place',
    {
      input_tokens: 10,
      output_tokens: 800,
      output_tokens_details: { thinking_tokens: 700 },
      server_tool_use: { web_search_requests: 2, web_fetch_requests: 3, code_execution_requests: 0 },
      service_tier: 'priority',
      inference_geo: 'us',
      speed: 'standard',
    },
    {
      reasoningTokens: 700,
      completionTokens: 800,
      uses: { web_search: 2, web_fetch: 3 },
      serviceTier: 'priority',
      region: 'us',
    },
  ],
];

const ONE = { input_tokens: 1, output_tokens: 1 };
const COUNTED = { promptTokens: 1, cachedTokens: 0, completionTokens: 1 };

describe('the account of a message', () => {
  it.each(DOCUMENTED)('follows the vendor’s documentation: %s', (_source, usage, expected) => {
    expect(toUsage(usage, false)).toMatchObject(expected);
  });

  it.each<[object, string | undefined]>([
    [{ service_tier: 'standard' }, 'standard'],
    [{ service_tier: 'batch' }, 'batch'],
    [{ service_tier: 'standard', speed: 'fast' }, 'fast'],
    [{ speed: 'standard' }, 'standard'],
    [{ service_tier: null, speed: null }, undefined],
    [{ service_tier: 'No Name' }, undefined],
    [{}, undefined],
  ])('names the service tier that was used, if the server reports it: %j', (fields, expected) => {
    expect(toUsage({ ...ONE, ...fields }, false)).toEqual({ ...COUNTED, serviceTier: expected });
  });

  it.each<[unknown, string | undefined]>([
    ['us', 'us'],
    ['global', 'standard'],
    ['not_available', undefined],
    [null, undefined],
    [5, undefined],
  ])('names the place of inference, if it has one: %j', (inference_geo, expected) => {
    expect(toUsage({ ...ONE, inference_geo }, false)).toEqual({ ...COUNTED, region: expected });
  });

  it('counts no use of a tool without a valid name', () => {
    const server_tool_use = { __proto___requests: 3, _requests: 2, requests: 1, 'a b_requests': 4 };
    expect(toUsage({ ...ONE, server_tool_use }, false)).toEqual(COUNTED);
  });

  it('yields only valid counts, whatever the server sends', () => {
    const split = accountOf(['ephemeral_5m_input_tokens', 'ephemeral_1h_input_tokens']);
    const sampling = ['cache_read_input_tokens', 'cache_creation_input_tokens'];
    const sides = { input_tokens: fc.oneof(fc.nat(), amount), output_tokens: fc.oneof(fc.nat(), amount) };
    const iteration = accountOf(sampling, {
      ...sides,
      type: fc.constantFrom('compaction', 'message', 'advisor_message', 7),
      cache_creation: fc.oneof(split, amount),
    });
    const usage = accountOf(sampling, {
      ...sides,
      cache_creation: fc.oneof(split, amount),
      iterations: fc.oneof(fc.array(fc.oneof(iteration, amount)), amount),
      output_tokens_details: fc.oneof(accountOf(['thinking_tokens']), amount),
      server_tool_use: fc.oneof(accountOf(['web_search_requests', 'x_requests']), amount),
      service_tier: amount,
      inference_geo: amount,
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: usage }, noAccount), (reported) => {
        const read = toUsage(reported, true);
        const { input_tokens: input, output_tokens: output } = Object(reported);
        expect(read === undefined).toBe(!isTokenCount(input) || !isTokenCount(output));
        expect(valuesOf(read).filter((count) => !isTokenCount(count))).toEqual([]);
        const { promptTokens = 0, cachedTokens = 0, cacheWrites = {} } = read ?? {};
        for (const part of [cachedTokens, ...Object.values(cacheWrites)])
          expect(part).toBeLessThanOrEqual(promptTokens);
      }),
      { numRuns: rounds(300) },
    );
  });
});

describe('the account of a streamed message', () => {
  const START = {
    type: 'message_start',
    message: {
      id: 'msg_x',
      usage: {
        input_tokens: 25,
        output_tokens: 1,
        cache_creation_input_tokens: 40,
        cache_read_input_tokens: 9,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 30 },
        service_tier: 'standard',
        inference_geo: 'us',
        speed: 'fast',
      },
    },
  };
  const FINAL_EVENT = {
    type: 'message_delta',
    delta: { stop_reason: 'end_turn' },
    usage: {
      input_tokens: null,
      cache_creation_input_tokens: 45,
      output_tokens: 60,
      output_tokens_details: { thinking_tokens: 50 },
      server_tool_use: { web_search_requests: 2 },
    },
  };
  const bytes = wire(
    START,
    block(0, { type: 'text', text: '' }),
    change(0, { type: 'text_delta', text: 'Grüße' }),
    closed(0),
    FINAL_EVENT,
    STOP,
  );

  it.each(READINGS)('combines the first and the last event: %s', async (_name, call) => {
    const events = await collect(decode(call, bytes));
    expect(events.flatMap(({ usage }) => usage ?? [])).toMatchObject([
      { promptTokens: 25 + 9 + 40, cachedTokens: 9, completionTokens: 0 },
      {
        promptTokens: 25 + 9 + 45,
        cachedTokens: 9,
        completionTokens: 60,
        reasoningTokens: 50,
        cacheWrites: { '1h': 30, auto: 15 },
        uses: { web_search: 2 },
        serviceTier: 'fast',
        region: 'us',
      },
    ]);
  });

  it('reports the service tier that was used to a caller of the protocol', async () => {
    const events = await collect(decode(NATIVE, bytes));
    expect(events.findLast(({ usage }) => usage !== undefined)?.usage?.reported).toMatchObject({
      service_tier: 'standard',
      speed: 'fast',
      server_tool_use: { web_search_requests: 2 },
    });
  });
});
