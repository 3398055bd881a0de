import {
  ConverseStreamCommand,
  type ConverseStreamCommandInput,
  type ConverseStreamOutput,
} from '@aws-sdk/client-bedrock-runtime';
import { describe, expect, it } from '@jest/globals';
import { frames, listOf } from '../received.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const saying = (text: string) => ({ messages: [{ role: 'user' as const, content: [{ text }] }] });
const spec = (name: string, required: string[]) => ({
  toolSpec: {
    name,
    inputSchema: { json: { type: 'object', properties: { place: { type: 'string' } }, required } },
  },
});
const tools = [spec('find_place', ['place']), spec('find_road', ['place'])];
const clock = { toolSpec: { name: 'clock', inputSchema: { json: { type: 'object' } } } };

async function eventsOf(input: Partial<ConverseStreamCommandInput>): Promise<ConverseStreamOutput[]> {
  const command = new ConverseStreamCommand({ modelId: 'sim-small', ...saying('hello'), ...input });
  const { stream } = await upstream.bedrock().send(command);
  return listOf(stream);
}

const inputDelta = (contentBlockIndex: number, input: string) => ({
  contentBlockDelta: { contentBlockIndex, delta: { toolUse: { input } } },
});

describe('a ConverseStream answer', () => {
  it('has exactly the documented events in their order', async () => {
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

  it('is framed as an event stream whose payloads end in a padding', async () => {
    const response = await upstream.postConverse('converse-stream', saying('Repeat exactly: hi'));
    expect(response.headers.get('content-type')).toBe('application/vnd.amazon.eventstream');
    const received = frames(new Uint8Array(await response.arrayBuffer()));
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

  it('opens tool calls and gives their input in pieces, an empty one first', async () => {
    const events = await eventsOf({
      ...saying('Use clock and find_place'),
      toolConfig: { tools: [...tools, clock] },
    });
    const toolUse = (name: string) => ({ toolUse: { toolUseId: expect.stringMatching(/^tooluse_/), name } });
    expect(events.slice(1, 6)).toEqual([
      { contentBlockStart: { contentBlockIndex: 0, start: toolUse('clock') } },
      inputDelta(0, ''),
      { contentBlockStop: { contentBlockIndex: 0 } },
      { contentBlockStart: { contentBlockIndex: 1, start: toolUse('find_place') } },
      inputDelta(1, ''),
    ]);
    const input = events
      .map(({ contentBlockDelta }) => contentBlockDelta?.delta?.toolUse?.input ?? '')
      .join('');
    expect(JSON.parse(input)).toEqual({ place: expect.any(String) });
    expect(events.at(-2)).toEqual({ messageStop: { stopReason: 'tool_use' } });
  });

  it('ends a thought with its signature', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const events = await eventsOf({ additionalModelRequestFields: { thinking } });
    const thought = events.flatMap(
      ({ contentBlockDelta }) => contentBlockDelta?.delta?.reasoningContent ?? [],
    );
    expect(thought.map(({ text }) => text ?? '').join('')).toContain('think');
    expect(thought.at(-1)).toEqual({ signature: expect.stringMatching(/==$/) });
  });
});
