import { describe, expect, it } from '@jest/globals';
import { EventSourceParserStream } from 'eventsource-parser/stream';
import type OpenAI from 'openai';
import { zodFunction } from 'openai/helpers/zod';
import { z } from 'zod';
import { ask, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
type Chunk = OpenAI.ChatCompletionChunk;

async function dataLines(body: object): Promise<string[]> {
  const response = await upstream.post({ ...body, stream: true });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const events = response.body
    ?.pipeThrough(new TextDecoderStream())
    .pipeThrough(new EventSourceParserStream());
  const lines: string[] = [];
  for await (const event of events ?? []) lines.push(event.data);
  return lines;
}

async function chunksOf(body: object): Promise<Chunk[]> {
  const lines = await dataLines(body);
  expect(lines.at(-1)).toBe('[DONE]');
  return lines.slice(0, -1).map((line): Chunk => JSON.parse(line));
}

const lookup = (name: string) =>
  zodFunction({ name, parameters: z.object({ place: z.string(), count: z.int().min(1).max(9) }) });

it('a chat completion has every field of the documented object', async () => {
  expect(await upstream.openai().chat.completions.create({ ...ask('hello'), n: 2 })).toEqual({
    id: expect.stringMatching(/^chatcmpl-[A-Za-z0-9]{29}$/),
    object: 'chat.completion',
    created: expect.any(Number),
    model: 'sim-small',
    choices: [0, 1].map((index) => ({
      index,
      message: { role: 'assistant', content: expect.any(String), refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    })),
    usage: expect.objectContaining({ prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 } }),
    service_tier: 'default',
    system_fingerprint: expect.any(String),
  });
});

describe('a streamed chat completion', () => {
  it('opens with the role, goes on in deltas of about a token, and closes with a finish reason and [DONE]', async () => {
    const chunks = await chunksOf(ask('Repeat exactly: one two three'));
    expect(chunks.map((chunk) => chunk.choices[0]?.delta)).toEqual([
      { role: 'assistant', content: '', refusal: null },
      { content: 'one' },
      { content: ' two' },
      { content: ' three' },
      {},
    ]);
    expect(chunks.map((chunk) => chunk.choices[0]?.finish_reason)).toEqual([null, null, null, null, 'stop']);
    expect(new Set(chunks.map((chunk) => chunk.id)).size).toBe(1);
    for (const chunk of chunks) {
      expect(chunk).toMatchObject({
        object: 'chat.completion.chunk',
        model: 'sim-small',
        created: expect.any(Number),
      });
      expect(chunk).not.toHaveProperty('usage');
    }
  });

  it('ends with a usage chunk when asked, and every other chunk says usage null', async () => {
    const body = { ...ask('hello'), stream_options: { include_usage: true } };
    const chunks = await chunksOf(body);
    const last = chunks.pop();
    expect(last?.choices).toEqual([]);
    const whole = (await (await upstream.post(ask('hello'))).json()) as OpenAI.ChatCompletion;
    expect(last?.usage).toEqual(whole.usage);
    expect(chunks.every((chunk) => chunk.usage === null)).toBe(true);
  });

  it('sends tool calls as indexed deltas: id and name first, then the arguments in pieces', async () => {
    const tools = [lookup('find_place'), lookup('find_road')];
    const chunks = await chunksOf({ ...ask('Use find_road and find_place'), tools });
    expect(chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: null });
    const deltas = chunks.flatMap((chunk) => chunk.choices[0]?.delta.tool_calls ?? []);
    for (const [index, name] of ['find_road', 'find_place'].entries()) {
      const [opening, ...pieces] = deltas.filter((delta) => delta.index === index);
      expect(opening).toEqual({
        index,
        id: expect.stringMatching(/^call_/),
        type: 'function',
        function: { name, arguments: '' },
      });
      expect(pieces.length).toBeGreaterThan(3);
      expect(pieces.every((piece) => Object.keys(piece).join() === 'index,function')).toBe(true);
      JSON.parse(pieces.map((piece) => piece.function?.arguments ?? '').join(''));
    }
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls');
  });

  it("is assembled by the official client's stream helper, parsed tool arguments included", async () => {
    const tools = [lookup('find_place'), lookup('find_road')];
    const stream = upstream
      .openai()
      .chat.completions.stream({ ...ask('Use find_road and find_place'), tools });
    const { choices } = await stream.finalChatCompletion();
    const calls = (choices[0]?.message.tool_calls ?? []).flatMap((call) =>
      call.type === 'function' ? [call.function] : [],
    );
    expect(calls.map((call) => call.name)).toEqual(['find_road', 'find_place']);
    for (const call of calls) {
      expect(call.parsed_arguments).toEqual({ place: expect.any(String), count: expect.any(Number) });
    }
  });
});
