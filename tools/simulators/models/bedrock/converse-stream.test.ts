import { expect, it } from '@jest/globals';
import { messageFrames } from '../../testing/models/received.ts';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();

it('a ConverseStream response is an event stream, with padding at the end of each payload', async () => {
  const messages = [{ role: 'user', content: [{ text: 'Repeat exactly: one two three' }] }];
  const response = await upstream.postConverse('converse-stream', { messages });
  expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
  const p = expect.stringMatching(/^[a-zA-Z0-9]+$/);
  const delta = (text: string) => ({ contentBlockIndex: 0, delta: { text }, p });
  const usage = { inputTokens: 13, outputTokens: 3, totalTokens: 16 };
  const uncached = { cacheReadInputTokens: 0, cacheWriteInputTokens: 0 };
  const metrics = { latencyMs: expect.any(Number) };
  expect(messageFrames(new Uint8Array(await response.arrayBuffer()))).toEqual(
    [
      ['messageStart', { role: 'assistant', p }],
      ['contentBlockDelta', delta('one')],
      ['contentBlockDelta', delta(' two')],
      ['contentBlockDelta', delta(' three')],
      ['contentBlockStop', { contentBlockIndex: 0, p }],
      ['messageStop', { stopReason: 'end_turn', p }],
      ['metadata', { usage: { ...usage, ...uncached }, metrics, p }],
    ].map(([name, data]) => ({ kind: 'event', name, data })),
  );
});
