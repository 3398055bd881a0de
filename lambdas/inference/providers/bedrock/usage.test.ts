import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { isTokenCount } from '../../core/pricing/token-usage.ts';
import { callFor, JSON_TYPE, outcome } from '../../testing/providers/bedrock/calling.ts';
import { end, framesOf, start, stop, text } from '../../testing/providers/bedrock/frames.ts';
import { accountOf, amount, fragmentsOf, valuesOf } from '../../testing/providers/reported-usage.ts';
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

  it('counts once what a model has in its input already', () => {
    const usage = { ...USAGE, inputTokens: 1310 };
    expect(toUsage({ usage })).toMatchObject(COUNTED);
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

  it('stays the same at any split of the bytes of a stream', async () => {
    const account = { usage: USAGE, metrics: { latencyMs: 5 }, serviceTier: { type: 'priority' } };
    const bytes = framesOf([start, text(0, 'Grüße'), stop(0), end('end_turn'), ['metadata', account]]);
    await fc.assert(
      fc.asyncProperty(fc.array(fc.nat(), { maxLength: 20 }), async (cuts) => {
        const { events, failure } = await outcome({ body: fragmentsOf(bytes, cuts) }, { stream: true });
        expect(failure).toBeUndefined();
        expect(events.flatMap(({ usage }) => usage ?? [])).toMatchObject([
          { ...COUNTED, serviceTier: 'priority' },
        ]);
      }),
      { numRuns: rounds(20) },
    );
  });

  it('yields only valid counts, whatever the service sends', () => {
    const detail = fc.record({ ttl: fc.constantFrom('5m', '1h', 'x'), inputTokens: amount });
    const usage = accountOf(['totalTokens', 'cacheReadInputTokens', 'cacheWriteInputTokens'], {
      inputTokens: fc.oneof(fc.nat(), amount),
      outputTokens: fc.oneof(fc.nat(), amount),
      cacheDetails: fc.oneof(fc.array(fc.oneof(detail, amount)), amount),
    });
    fc.assert(
      fc.property(usage, amount, (reported, usedTier) => {
        const read = toUsage({ usage: reported, serviceTier: usedTier, performanceConfig: usedTier });
        const { inputTokens: input, outputTokens: output } = reported;
        expect(read === undefined).toBe(!isTokenCount(input) || !isTokenCount(output));
        expect(valuesOf(read).filter((count) => !isTokenCount(count))).toEqual([]);
      }),
      { numRuns: rounds(300) },
    );
  });
});
