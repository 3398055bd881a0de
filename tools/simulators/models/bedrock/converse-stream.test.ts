import {
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { listOf, messageFrames } from '../../testing/models/received.ts';
import { runningUpstream } from '../../testing/models/running-upstream.ts';

const upstream = runningUpstream();
const saying = (text: string) => ({ messages: [{ role: 'user' as const, content: [{ text }] }] });
async function eventsOf(input: Partial<ConverseStreamCommandInput>): Promise<ConverseStreamOutput[]> {
  const command = new ConverseStreamCommand({ modelId: 'sim-small', ...saying('hello'), ...input });
  const { stream } = await upstream.bedrock().send(command);
  return listOf(stream);
}

describe('a ConverseStream response', () => {
  it('contains exactly the documented events in their order', async () => {
    const delta = (text: string) => ({ contentBlockDelta: { contentBlockIndex: 0, delta: { text } } });
    expect(await eventsOf(saying('Repeat exactly: one two three'))).toEqual([
      { messageStart: { role: 'assistant' } },
      delta('one'),
      delta(' two'),
      delta(' three'),
      { contentBlockStop: { contentBlockIndex: 0 } },
      { messageStop: { stopReason: 'end_turn' } },
      {
        metadata: {
          usage: {
            inputTokens: 13,
            outputTokens: 3,
            totalTokens: 16,
            cacheReadInputTokens: 0,
            cacheWriteInputTokens: 0,
          },
          metrics: { latencyMs: expect.any(Number) },
        },
      },
    ]);
  });

  it('uses the event stream format, with padding at the end of each payload', async () => {
    const response = await upstream.postConverse('converse-stream', saying('Repeat exactly: hi'));
    expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    const received = messageFrames(new Uint8Array(await response.arrayBuffer()));
    expect(received.map(({ name }) => name)).toEqual([
      'messageStart',
      'contentBlockDelta',
      'contentBlockStop',
      'messageStop',
      'metadata',
    ]);
    for (const { kind, data } of received) {
      expect(kind).toBe('event');
      expect(data.p).toMatch(/^[a-zA-Z0-9]+$/);
    }
  });
});
