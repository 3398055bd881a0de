import { describe, expect, it } from '@jest/globals';
import { laterUsage, NO_TOKENS, type TokenUsage } from '../core/pricing/token-usage.ts';
import { usageBody } from '../formats/messages/response-writer.ts';
import { outcome } from '../testing/providers/anthropic/decoding.ts';
import { FOREIGN, NATIVE } from '../testing/providers/anthropic/fixtures.ts';
import * as gemini from '../testing/providers/gemini/fixtures.ts';
import { decodeFor } from '../testing/providers/openai/decoding.ts';
import { CALL, CONVERTED } from '../testing/providers/openai/fixtures.ts';
import { outcomeOf, wire } from '../testing/providers/streams.ts';
import { toUsage as toMessagesUsage } from './anthropic/usage.ts';
import { toUsage as toConverseUsage } from './bedrock/usage.ts';
import { toUsage as toChatUsage } from './openai/usage.ts';

const SPLIT = { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 1_000 };

/** Accounts of each protocol that splits cache writes, whose split has twice its total. */
const SPLITS: readonly (readonly [string, (total: number | undefined) => TokenUsage | undefined])[] = [
  [
    'Messages',
    (cache_creation_input_tokens) =>
      toMessagesUsage(
        { input_tokens: 0, output_tokens: 1, cache_creation_input_tokens, cache_creation: SPLIT },
        true,
      ),
  ],
  [
    'Converse',
    (cacheWriteInputTokens) =>
      toConverseUsage({
        usage: {
          inputTokens: 0,
          outputTokens: 1,
          cacheWriteInputTokens,
          cacheDetails: [
            { ttl: '5m', inputTokens: 1_000 },
            { ttl: '1h', inputTokens: 1_000 },
          ],
        },
      }),
  ],
  [
    'chat completions',
    (cache_creation_tokens) =>
      toChatUsage(
        {
          prompt_tokens: 2_000,
          completion_tokens: 1,
          prompt_tokens_details: { cache_creation_tokens, cache_creation_token_details: SPLIT },
        },
        false,
      ),
  ],
];

describe('a split of cache writes', () => {
  it.each(SPLITS)('never exceeds its total: %s', (_name, read) => {
    expect(read(1_000)?.cacheWrites).toEqual({ '5m': 1_000 });
    expect(read(1_500)?.cacheWrites).toEqual({ '5m': 1_000, '1h': 500 });
    expect(read(2_100)?.cacheWrites).toEqual({ '5m': 1_000, '1h': 1_000, auto: 100 });
    expect(read(0)).toMatchObject({ cacheWrites: undefined });
  });

  it.each(SPLITS)('counts unchanged if there is no total: %s', (_name, read) => {
    expect(read(undefined)?.cacheWrites).toEqual({ '5m': 1_000, '1h': 1_000 });
  });

  it('never exceeds its total for a caller of Messages, too', () => {
    const usage = SPLITS[0]?.[1](1_000) ?? NO_TOKENS;
    expect(usageBody(usage)).toMatchObject({
      cache_creation_input_tokens: 1_000,
      cache_creation: { ephemeral_5m_input_tokens: 1_000, ephemeral_1h_input_tokens: 0 },
    });
  });
});

describe('the counts of a stream that fall', () => {
  const MESSAGES = [
    { type: 'message_start', message: { usage: { input_tokens: 3, cache_read_input_tokens: 20_000 } } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'Hi' } },
    { type: 'content_block_stop', index: 0 },
    {
      type: 'message_delta',
      delta: { stop_reason: 'end_turn' },
      usage: {
        input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation_input_tokens: 0,
        output_tokens: 7,
      },
    },
    { type: 'message_stop' },
  ];
  const details = (cached_tokens: number) => ({ prompt_tokens_details: { cached_tokens } });
  const CHAT = [
    {
      choices: [{ index: 0, delta: { content: 'Hi' }, finish_reason: null }],
      usage: { prompt_tokens: 20_003, completion_tokens: 1, ...details(20_000) },
    },
    {
      choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      usage: { prompt_tokens: 0, completion_tokens: 7, ...details(0) },
    },
    '[DONE]',
  ];
  const GEMINI = [
    {
      candidates: [{ content: { parts: [{ text: 'Hi' }] } }],
      usageMetadata: { promptTokenCount: 20_003, cachedContentTokenCount: 20_000, candidatesTokenCount: 1 },
    },
    {
      candidates: [{ finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 0, cachedContentTokenCount: 0, candidatesTokenCount: 7 },
    },
  ];

  it.each([
    ['Messages', () => outcome(NATIVE, wire(...MESSAGES))],
    ['converted Messages', () => outcome(FOREIGN, wire(...MESSAGES))],
    ['chat completions', () => outcomeOf(decodeFor(CALL, wire(...CHAT)))],
    ['converted chat completions', () => outcomeOf(decodeFor(CONVERTED, wire(...CHAT)))],
    ['generateContent', async () => ({ events: await gemini.read(wire(...GEMINI)) })],
  ])('add up to the largest of each: %s', async (_name, read) => {
    const { events } = await read();
    expect(events.flatMap(({ usage }) => usage ?? []).reduce(laterUsage, NO_TOKENS)).toMatchObject({
      promptTokens: 20_003,
      cachedTokens: 20_000,
      completionTokens: 7,
    });
  });
});
