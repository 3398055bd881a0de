import { describe, expect, it } from '@jest/globals';
import { type ReceivedEvent, sseEvents } from '../received.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const ask = (content: string) => ({
  model: 'sim-small',
  max_tokens: 2000,
  messages: [{ role: 'user' as const, content }],
});
const lookup = (name: string) => ({
  name,
  input_schema: { type: 'object' as const, properties: { place: { type: 'string' } }, required: ['place'] },
});
const clock = { name: 'clock', input_schema: { type: 'object' as const } };
const thinking = { type: 'enabled' as const, budget_tokens: 1024 };

async function eventsOf(body: object): Promise<ReceivedEvent[]> {
  const response = await upstream.postMessage({ ...body, stream: true });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = sseEvents(await response.text());
  for (const { name, data } of events) expect(data.type).toBe(name);
  return events;
}

const deltas = (events: readonly ReceivedEvent[], index: number) =>
  events
    .filter(({ name, data }) => name === 'content_block_delta' && data.index === index)
    .map(({ data }) => data.delta as Record<string, string>);

describe('a streamed message', () => {
  it('has exactly the documented events in their order', async () => {
    const text = (piece: string) => ({ index: 0, delta: { type: 'text_delta', text: piece } });
    const usage = { input_tokens: 13, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
    const events = await eventsOf(ask('Repeat exactly: one two three'));
    expect(events.map(({ name }) => name)).toEqual([
      'message_start',
      'content_block_start',
      'ping',
      ...Array(3).fill('content_block_delta'),
      'content_block_stop',
      'message_delta',
      'message_stop',
    ]);
    expect(events[0]?.data).toMatchObject({
      message: {
        id: expect.stringMatching(/^msg_/),
        role: 'assistant',
        model: 'sim-small',
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...usage, output_tokens: 1 },
      },
    });
    expect(events[1]?.data).toMatchObject({ index: 0, content_block: { type: 'text', text: '' } });
    expect(events.slice(3, 6).map(({ data }) => data)).toMatchObject(['one', ' two', ' three'].map(text));
    expect(events[7]?.data).toMatchObject({
      delta: { stop_reason: 'end_turn', stop_sequence: null },
      usage: { ...usage, output_tokens: 3 },
    });
  });

  it('gives tool input in pieces after an empty one, which is all that a call without arguments has', async () => {
    const events = await eventsOf({
      ...ask('Use clock and find_place'),
      tools: [lookup('find_place'), clock],
    });
    const opened = events.filter(({ name }) => name === 'content_block_start').map(({ data }) => data);
    expect(opened).toMatchObject([
      { index: 0, content_block: { type: 'tool_use', name: 'clock', input: {} } },
      { index: 1, content_block: { type: 'tool_use', name: 'find_place', input: {} } },
    ]);
    expect(deltas(events, 0)).toEqual([{ type: 'input_json_delta', partial_json: '' }]);
    const pieces = deltas(events, 1).map((delta) => delta.partial_json);
    expect(pieces[0]).toBe('');
    expect(pieces.length).toBeGreaterThan(3);
    expect(JSON.parse(pieces.join(''))).toEqual({ place: expect.any(String) });
  });

  it('is assembled by the official client: thought, signature, and tool input', async () => {
    const asked = { ...ask('Use clock and find_place'), tools: [lookup('find_place'), clock], thinking };
    const { messages } = upstream.anthropic();
    const whole = await messages.create(asked);
    const streamed = await messages.stream(asked).finalMessage();
    expect(streamed.content).toEqual(whole.content);
    expect(streamed.content.map(({ type }) => type)).toEqual(['thinking', 'tool_use', 'tool_use']);
    expect(streamed.stop_reason).toBe('tool_use');
  });
});
