import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { countTokens } from '../../../../simulators/models/model/tokens.ts';
import { runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const user = (content: Anthropic.MessageParam['content']) => ({ role: 'user' as const, content });
const base = { model: 'sim-small', max_tokens: 1000, messages: [user('hello')] };
const create = (over: Partial<Anthropic.MessageCreateParamsNonStreaming> = {}) =>
  upstream.anthropic().messages.create({ ...base, ...over });

const blocks = <Type extends Anthropic.ContentBlock['type']>({ content }: Anthropic.Message, type: Type) =>
  content.filter((block): block is Extract<Anthropic.ContentBlock, { type: Type }> => block.type === type);
const textOf = (message: Anthropic.Message): string =>
  blocks(message, 'text')
    .map(({ text }) => text)
    .join('|');

const weather = {
  name: 'get_weather',
  description: 'The weather in a city',
  input_schema: {
    type: 'object' as const,
    properties: { city: { type: 'string' }, unit: { enum: ['celsius', 'fahrenheit'] } },
    required: ['city', 'unit'],
    additionalProperties: false,
  },
};
const weatherInput = z.strictObject({ city: z.string(), unit: z.enum(['celsius', 'fahrenheit']) });
const clock = { name: 'get-time', input_schema: { type: 'object' as const } };

describe('a message', () => {
  it('has the fields of the documented object, and usage that counts its text', async () => {
    const message = await create();
    expect(message).toMatchObject({
      id: expect.stringMatching(/^msg_[A-Za-z0-9]{24}$/),
      type: 'message',
      role: 'assistant',
      model: 'sim-small',
      content: [{ type: 'text', text: expect.any(String) }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: {
        input_tokens: expect.any(Number),
        output_tokens: countTokens(textOf(message)),
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
      },
    });
  });

  it('is counted in advance exactly as it is billed', async () => {
    const { messages } = upstream.anthropic();
    const asked = {
      model: 'sim',
      system: 'Be brief.',
      tools: [weather],
      messages: [user('how is the weather?')],
    };
    const counted = await messages.countTokens(asked);
    const { usage } = await messages.create({ ...asked, max_tokens: 5 });
    expect(counted).toEqual({ input_tokens: usage.input_tokens });
  });

  it('repeats Unicode and several lines exactly', async () => {
    const text = 'Größe 👩‍👩‍👧‍👦\n𝒳 = ∑ᵢ xᵢ\t“quoted” שלום 日本語';
    expect(textOf(await create({ messages: [user(`Repeat exactly: ${text}`)] }))).toBe(text);
  });

  it('follows the system prompt, as a string or as blocks', async () => {
    const instruction = 'Whatever is asked, reply with exactly: PONG';
    for (const system of [instruction, [{ type: 'text' as const, text: instruction }]])
      expect(textOf(await create({ system }))).toBe('PONG');
  });

  it('is cut at exactly max_tokens', async () => {
    const message = await create({ messages: [user('write 200 words')], max_tokens: 13 });
    expect(message).toMatchObject({ stop_reason: 'max_tokens', usage: { output_tokens: 13 } });
    expect(countTokens(textOf(message))).toBe(13);
    expect(await create({ max_tokens: 0 })).toMatchObject({ content: [], stop_reason: 'max_tokens' });
  });

  it('ends before a stop sequence and says which', async () => {
    const messages = [user('Repeat exactly: alpha beta gamma')];
    const message = await create({ messages, stop_sequences: ['nothing', ' gamma'] });
    expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: ' gamma' });
    expect(textOf(message)).toBe('alpha beta');
  });

  it('refuses when a fault asks for it', async () => {
    await upstream.fault({ refusal: true });
    expect(await create()).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
  });

  it('sees images, and reads documents', async () => {
    const image = (source: Anthropic.ImageBlockParam['source']) => ({ type: 'image' as const, source });
    const content = [
      image({ type: 'url', url: 'https://example.com/a.png' }),
      image({ type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' }),
      {
        type: 'document' as const,
        title: 'Notes',
        source: { type: 'text' as const, media_type: 'text/plain' as const, data: 'Say exactly: read' },
      },
    ];
    expect(textOf(await create({ messages: [user(content)] }))).toBe('read');
    const seen = await create({ messages: [user([...content.slice(0, 2), { type: 'text', text: 'look' }])] });
    expect(textOf(seen)).toContain('2 images');
    expect(seen.usage.input_tokens).toBeGreaterThan(2 * 765);
  });

  it('calls a forced tool with input that satisfies its schema', async () => {
    for (const tool_choice of [{ type: 'tool' as const, name: 'get_weather' }, { type: 'any' as const }]) {
      const message = await create({ tools: [weather, clock], tool_choice });
      expect(message.stop_reason).toBe('tool_use');
      const [call] = blocks(message, 'tool_use');
      expect(call).toMatchObject({ id: expect.stringMatching(/^toolu_/), name: 'get_weather' });
      weatherInput.parse(call?.input);
    }
  });

  it('calls every tool the user names, unless parallel calls or all calls are off', async () => {
    const asked = { messages: [user('Use get-time and then get_weather.')], tools: [weather, clock] };
    const calls = blocks(await create(asked), 'tool_use');
    expect(calls.map(({ name }) => name)).toEqual(['get-time', 'get_weather']);
    expect(calls[0]?.input).toEqual({});
    const single = { type: 'auto' as const, disable_parallel_tool_use: true };
    expect(blocks(await create({ ...asked, tool_choice: single }), 'tool_use')).toHaveLength(1);
    const none = await create({ ...asked, tool_choice: { type: 'none' } });
    expect(none.stop_reason).toBe('end_turn');
  });

  it('answers in text after the results of its calls, failed ones included', async () => {
    const asked = user('Use get_weather and get-time');
    const first = await create({ messages: [asked], tools: [weather, clock] });
    const [one, two] = blocks(first, 'tool_use');
    const second = await create({
      tools: [weather, clock],
      messages: [
        asked,
        { role: 'assistant', content: first.content },
        user([
          { type: 'tool_result', tool_use_id: one?.id ?? '', content: 'sunny, 21 degrees' },
          {
            type: 'tool_result',
            tool_use_id: two?.id ?? '',
            is_error: true,
            content: [{ type: 'text', text: 'no clock here' }],
          },
        ]),
      ],
    });
    expect(second.stop_reason).toBe('end_turn');
    expect(textOf(second)).toContain('The tool returned: sunny, 21 degrees\nThe tool failed: no clock here');
  });

  it('gives an instance of the schema that output_config asks for', async () => {
    const format = { type: 'json_schema' as const, schema: weather.input_schema };
    weatherInput.parse(JSON.parse(textOf(await create({ output_config: { format } }))));
  });

  it('begins with a signed thought when asked to think, and says the same after it', async () => {
    const thinking = { type: 'enabled' as const, budget_tokens: 1024 };
    const message = await create({ thinking, max_tokens: 2000 });
    const [thought] = blocks(message, 'thinking');
    expect(message.content[0]).toBe(thought);
    expect(thought).toEqual({
      type: 'thinking',
      thinking: expect.stringContaining('think'),
      signature: expect.stringMatching(/==$/),
    });
    const plain = await create();
    expect(textOf(message)).toBe(textOf(plain));
    expect(message.usage.output_tokens).toBe(
      plain.usage.output_tokens + countTokens(thought?.thinking ?? ''),
    );
    expect(message.usage.output_tokens_details?.thinking_tokens).toBe(countTokens(thought?.thinking ?? ''));
    const hidden = await create({ thinking: { type: 'adaptive', display: 'omitted' } });
    expect(blocks(hidden, 'thinking')[0]).toMatchObject({ thinking: '', signature: thought?.signature });
    const content = [...message.content, { type: 'redacted_thinking' as const, data: 'EmwK' }];
    await create({ messages: [user('hello'), { role: 'assistant', content }, user('and now?')] });
  });

  it('reports what the cache took, and what it gave for a model named -cached', async () => {
    const text = { type: 'text' as const, text: 'hello' };
    const messages = [user([{ ...text, cache_control: { type: 'ephemeral' } }])];
    const plain = (await create({ messages: [user([text])] })).usage.input_tokens;
    const half = Math.floor(plain / 2);
    expect((await create({ messages })).usage).toMatchObject({
      input_tokens: plain - half,
      cache_creation_input_tokens: half,
      cache_read_input_tokens: 0,
      cache_creation: { ephemeral_5m_input_tokens: half },
    });
    expect((await create({ messages, model: 'x-cached' })).usage).toMatchObject({
      input_tokens: plain - half,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: half,
    });
  });

  it('takes sampling parameters in version 2023-06-01', async () => {
    const body = { ...base, temperature: 1, top_p: 0.9, top_k: 5, metadata: { user_id: 'u' } };
    expect((await upstream.postMessage(body)).status).toBe(200);
  });
});
