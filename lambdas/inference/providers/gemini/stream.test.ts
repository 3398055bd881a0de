import { describe, expect, it } from '@jest/globals';
import { bytesOf, CONTEXT, EVENTS, RESPONSE, read } from '../../testing/providers/gemini/fixtures.ts';
import { reasoningParts, textParts, toolCallParts } from '../../testing/providers/parts.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { toRouteResponse } from './response.ts';

const SIGNATURE = '<{"thoughtSignature":"c2ln"}>';
const TEXT = 'Łódź?Grüße, 世界get_weather{"city":"Łódź"}now{}';

describe('a complete response', () => {
  it('contains reasoning, text and calls, each signature before its call, with ids where Google gives none', () => {
    const reply = toRouteResponse(RESPONSE, CONTEXT);
    expect(withProofs(reply.completeResponse)).toEqual({
      output: {
        parts: [
          { type: 'reasoning', text: 'Łódź?' },
          { type: 'text', text: 'Grüße, 世界' },
          { type: 'reasoning', text: '', signature: SIGNATURE },
          { type: 'tool-call', id: 'call_abc_0', name: 'get_weather', arguments: '{"city":"Łódź"}' },
          { type: 'tool-call', id: 'own', name: 'now', arguments: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'STOP' },
      },
    });
    expect(reply.outputText).toBe(TEXT);
    expect(reply.usage).toMatchObject({ promptTokens: 30, cachedTokens: 10, completionTokens: 20 });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['A_NEW_REASON', 'stop'],
  ])('converts the finish reason %s to %s', (finishReason, reason) => {
    const { completeResponse } = toRouteResponse({ candidates: [{ finishReason }] }, CONTEXT);
    expect(completeResponse).toEqual({ output: { parts: [], finish: { reason, raw: finishReason } } });
  });

  it('becomes a refusal if the prompt is blocked, and a protocol failure without candidates and without a block', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } };
    const { completeResponse, usage } = toRouteResponse(blocked, CONTEXT);
    expect(completeResponse).toEqual({ output: { parts: [], finish: { reason: 'refusal', raw: 'SAFETY' } } });
    expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 0 });
    expect(() => toRouteResponse({ candidates: [] }, CONTEXT)).toThrow('protocol');
  });
});

describe('a streamed response', () => {
  it('contains its blocks in order and every text once, and its last usage counts', async () => {
    const events = await read(bytesOf(EVENTS));
    expect(events.map(({ outputText }) => outputText).join('')).toBe(TEXT);
    expect(events.findLast(({ usage }) => usage)?.usage).toMatchObject({
      promptTokens: 30,
      completionTokens: 20,
    });
    expect(withProofs(events.flatMap(({ parts }) => parts ?? []))).toEqual([
      ...reasoningParts(0, ['Łódź?']),
      ...textParts(1, 'Grüße, ', '世界'),
      ...reasoningParts(2, [], SIGNATURE),
      ...toolCallParts(3, { id: 'call_abc_0', name: 'get_weather' }, '{"city":"Łódź"}'),
      ...toolCallParts(4, { id: 'own', name: 'now' }, '{}'),
      { type: 'finish', reason: 'tool-calls', raw: 'STOP' },
    ]);
  });

  it('fails as interrupted if it ends before its finish', async () => {
    await expect(read(bytesOf(EVENTS.slice(0, -1)))).rejects.toMatchObject({ kind: 'interrupted' });
  });

  it('reads usage that follows the finish, and does without', async () => {
    const [end, usage] = [
      { candidates: [{ finishReason: 'STOP' }] },
      { usageMetadata: { promptTokenCount: 3 } },
    ];
    const [metered] = await read(bytesOf([end, usage]));
    expect(metered).toMatchObject({ usage: { promptTokens: 3 }, hasOutput: false });
    expect(await read(bytesOf([end]))).toHaveLength(1);
  });

  it.each([
    [429, { kind: 'status', status: 429, retryable: true }],
    [503, { kind: 'interrupted' }],
  ])('fails if it contains an error %s', async (code, failure) => {
    await expect(read(bytesOf([EVENTS[0], { error: { code } }]))).rejects.toMatchObject(failure);
  });
});
