import { describe, expect } from '@jest/globals';
import { it } from '../../../../tools/test-kit/search.ts';
import { offsets } from '../../../../tools/test-kit/thorough.ts';
import { ANSWER, bytesOf, CONTEXT, EVENTS, read } from '../../testing/providers/gemini/fixtures.ts';
import { withProofs } from '../../testing/providers/sealing.ts';
import { toReply } from './response.ts';

const PROOF = '<{"thoughtSignature":"c2ln"}>';
const TEXT = 'Łódź?Grüße, 世界get_weather{"city":"Łódź"}now{}';

describe('a whole answer', () => {
  it('contains reasoning, text and calls, each signature before its call, with ids where Google gives none', () => {
    const reply = toReply(ANSWER, CONTEXT);
    expect(withProofs(reply.answer)).toEqual({
      reply: {
        parts: [
          { type: 'reasoning', text: 'Łódź?' },
          { type: 'text', text: 'Grüße, 世界' },
          { type: 'reasoning', text: '', signature: PROOF },
          { type: 'tool-call', id: 'call_abc_0', name: 'get_weather', arguments: '{"city":"Łódź"}' },
          { type: 'tool-call', id: 'own', name: 'now', arguments: '{}' },
        ],
        finish: { reason: 'tool-calls', raw: 'STOP' },
      },
    });
    expect(reply.text).toBe(TEXT);
    expect(reply.usage).toMatchObject({ promptTokens: 30, cachedTokens: 10, completionTokens: 20 });
  });

  it.each([
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['SAFETY', 'refusal'],
    ['PROHIBITED_CONTENT', 'refusal'],
    ['MALFORMED_FUNCTION_CALL', 'stop'],
  ])('converts the finish reason %s to %s', (finishReason, reason) => {
    const { answer } = toReply({ candidates: [{ finishReason }] }, CONTEXT);
    expect(answer).toEqual({ reply: { parts: [], finish: { reason, raw: finishReason } } });
  });

  it('becomes a refusal if the prompt is blocked, and a protocol failure without candidates and without a block', () => {
    const blocked = { promptFeedback: { blockReason: 'SAFETY' }, usageMetadata: { promptTokenCount: 3 } };
    const { answer, usage } = toReply(blocked, CONTEXT);
    expect(answer).toEqual({ reply: { parts: [], finish: { reason: 'refusal', raw: 'SAFETY' } } });
    expect(usage).toMatchObject({ promptTokens: 3, completionTokens: 0 });
    expect(() => toReply({ candidates: [] }, CONTEXT)).toThrow('protocol');
  });
});

describe('a streamed answer', () => {
  it('stays the same at any split of its bytes', async () => {
    const bytes = bytesOf(EVENTS);
    const whole = withProofs(await read(bytes));
    for (const at of offsets(0, bytes.length))
      expect(withProofs(await read(bytes.subarray(0, at), bytes.subarray(at)))).toEqual(whole);
  });

  it('contains its content parts in order and every text once, and its last event counts as usage', async () => {
    const replies = await read(bytesOf(EVENTS));
    expect(replies.map(({ text }) => text).join('')).toBe(TEXT);
    expect(replies.at(-1)?.usage).toMatchObject({ promptTokens: 30, completionTokens: 20 });
    expect(withProofs(replies.flatMap(({ parts }) => parts ?? []))).toEqual([
      { type: 'start', block: 0, content: { type: 'reasoning' } },
      { type: 'delta', block: 0, text: 'Łódź?' },
      { type: 'end', block: 0 },
      { type: 'start', block: 1, content: { type: 'text' } },
      { type: 'delta', block: 1, text: 'Grüße, ' },
      { type: 'delta', block: 1, text: '世界' },
      { type: 'end', block: 1 },
      { type: 'start', block: 2, content: { type: 'reasoning' } },
      { type: 'end', block: 2, signature: PROOF },
      { type: 'start', block: 3, content: { type: 'tool-call', id: 'call_abc_0', name: 'get_weather' } },
      { type: 'delta', block: 3, text: '{"city":"Łódź"}' },
      { type: 'end', block: 3 },
      { type: 'start', block: 4, content: { type: 'tool-call', id: 'own', name: 'now' } },
      { type: 'delta', block: 4, text: '{}' },
      { type: 'end', block: 4 },
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
    const [, last] = await read(bytesOf([end, usage]));
    expect(last).toMatchObject({ usage: { promptTokens: 3 }, content: false });
    expect(await read(bytesOf([end]))).toHaveLength(1);
  });

  it.each([
    [429, { kind: 'status', status: 429, retryable: true }],
    [503, { kind: 'interrupted' }],
  ])('fails if it contains an error %s', async (code, failure) => {
    await expect(read(bytesOf([EVENTS[0], { error: { code } }]))).rejects.toMatchObject(failure);
  });
});
