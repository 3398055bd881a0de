import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { isTokenCount } from '../../core/pricing/token-usage.ts';
import { callFor, JSON_TYPE, outcome } from '../../testing/providers/bedrock/calling.ts';
import { end, framesOf, start, text } from '../../testing/providers/bedrock/frames.ts';
import { accountOf, amount, noAccount, valuesOf } from '../../testing/providers/reported-usage.ts';
import { toUsage } from './usage.ts';

/** An account as the service has it (Amazon Bedrock API reference, TokenUsage, CacheDetail). */
const USAGE = {
  inputTokens: 10,
  outputTokens: 20,
  totalTokens: 1330,
  cacheReadInputTokens: 300,
  cacheWriteInputTokens: 1000,
  cacheDetails: [
    { ttl: '1h', inputTokens: 700 },
    { ttl: '5m', inputTokens: 300 },
  ],
};
const COUNTED = {
  promptTokens: 1310,
  cachedTokens: 300,
  completionTokens: 20,
  cacheWrites: { '5m': 300, '1h': 700 },
};

describe('the account of Converse', () => {
  it('states the lifetime of the tokens written to the cache', () => {
    expect(toUsage({ usage: USAGE })).toMatchObject(COUNTED);
    expect(toUsage({ usage: { ...USAGE, cacheDetails: [{ ttl: '1h', inputTokens: 700 }] } })).toMatchObject({
      ...COUNTED,
      cacheWrites: { '1h': 700, auto: 300 },
    });
    expect(toUsage({ usage: { ...USAGE, cacheDetails: undefined } })?.cacheWrites).toEqual({ auto: 1000 });
  });

  it.each([
    // Claude and Nova: the input leaves out what the cache read and took.
    [{ inputTokens: 368, outputTokens: 19, totalTokens: 10923, cacheReadInputTokens: 10536 }, 10904, 10536],
    [
      {
        inputTokens: 4,
        outputTokens: 1,
        totalTokens: 30,
        cacheReadInputTokens: 5,
        cacheWriteInputTokens: 20,
      },
      29,
      5,
    ],
    [{ inputTokens: 4, outputTokens: 1, cacheReadInputTokens: 5 }, 9, 5],
    // Such an input cannot hold what the cache read, whatever the total says.
    [{ inputTokens: 4, outputTokens: 1, totalTokens: 5, cacheReadInputTokens: 5 }, 9, 5],
    // A few models count it in, as their total shows.
    [{ inputTokens: 100, outputTokens: 10, totalTokens: 110, cacheReadInputTokens: 64 }, 100, 64],
    [{ ...USAGE, inputTokens: 1310 }, 1310, 300],
    [{ inputTokens: 10, outputTokens: 2, totalTokens: 12, cacheReadInputTokens: null }, 10, 0],
    [{ inputTokens: 10, outputTokens: 2, totalTokens: 12, cacheReadInputTokens: -3 }, 10, 0],
  ])('counts the whole prompt, and its cached part: %j', (reported, promptTokens, cachedTokens) => {
    const { outputTokens: completionTokens } = reported;
    expect(toUsage({ usage: reported })).toMatchObject({ promptTokens, cachedTokens, completionTokens });
  });

  it.each<[object, string | undefined]>([
    [{ serviceTier: { type: 'default' } }, 'standard'],
    [{ serviceTier: { type: 'flex' } }, 'flex'],
    [{ serviceTier: { type: 'priority' }, performanceConfig: { latency: 'standard' } }, 'priority'],
    [{ serviceTier: { type: 'default' }, performanceConfig: { latency: 'optimized' } }, 'optimized'],
    [{ performanceConfig: { latency: 'standard' } }, 'standard'],
    [{ serviceTier: 'flex' }, undefined],
    [{ serviceTier: null }, undefined],
    [{}, undefined],
  ])('names the service tier that was used: %j', (fields, expected) => {
    expect(toUsage({ usage: USAGE, ...fields })).toEqual({ ...COUNTED, serviceTier: expected });
  });

  it('includes the service tier of a complete response', async () => {
    const body = {
      output: { message: { role: 'assistant', content: [{ text: 'Hi' }] } },
      stopReason: 'end_turn',
      usage: USAGE,
      metrics: { latencyMs: 5 },
      serviceTier: { type: 'flex' },
    };
    const response = await callFor({ headers: JSON_TYPE, body: [Buffer.from(JSON.stringify(body))] });
    expect(response).toMatchObject({ usage: { ...COUNTED, serviceTier: 'flex' } });
  });

  it('includes the service tier of a stream', async () => {
    const account = { usage: USAGE, metrics: { latencyMs: 5 }, serviceTier: { type: 'priority' } };
    const { events } = await outcome(framesOf([start, text(0, 'a'), end('end_turn'), ['metadata', account]]));
    expect(events.at(-1)?.usage).toMatchObject({ ...COUNTED, serviceTier: 'priority' });
  });

  it('yields only valid counts, whatever the service sends', () => {
    const detail = fc.record({ ttl: fc.constantFrom('5m', '1h', 'x'), inputTokens: amount });
    const usage = accountOf(['totalTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'], {
      inputTokens: fc.oneof(fc.nat(), amount),
      outputTokens: fc.oneof(fc.nat(), amount),
      cacheDetails: fc.oneof(fc.array(fc.oneof(detail, amount)), amount),
    });
    fc.assert(
      fc.property(fc.oneof({ weight: 9, arbitrary: usage }, noAccount), amount, (reported, usedTier) => {
        const read = toUsage({ usage: reported, serviceTier: usedTier, performanceConfig: usedTier });
        const { inputTokens: input, outputTokens: output } = Object(reported);
        expect(read === undefined).toBe(!isTokenCount(input) || !isTokenCount(output));
        expect(valuesOf(read).filter((count) => !isTokenCount(count))).toEqual([]);
      }),
      { numRuns: rounds(300) },
    );
  });
});
