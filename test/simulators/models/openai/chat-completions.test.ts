import { describe, expect, it } from '@jest/globals';
import type OpenAI from 'openai';
import { z } from 'zod';
import { countTokens } from '../../../../simulators/models/model/tokens.ts';
import { ask, runningUpstream } from '../running-upstream.ts';

const upstream = runningUpstream();
const create = (body: Partial<OpenAI.ChatCompletionCreateParamsNonStreaming>) =>
  upstream.openai().chat.completions.create({ ...ask('hello'), ...body });
const userMessage = (content: string) => [{ role: 'user' as const, content }];

const weather = {
  type: 'function' as const,
  function: {
    name: 'get_weather',
    parameters: {
      type: 'object',
      properties: {
        city: { type: 'string' },
        unit: { enum: ['celsius', 'fahrenheit'] },
        days: { type: 'integer', minimum: 1, maximum: 7 },
      },
      required: ['city', 'unit', 'days'],
      additionalProperties: false,
    },
  },
};
const weatherArguments = z.strictObject({
  city: z.string(),
  unit: z.enum(['celsius', 'fahrenheit']),
  days: z.int().min(1).max(7),
});
const clock = { type: 'function' as const, function: { name: 'get-time' } };

const functionCalls = (completion: OpenAI.ChatCompletion) =>
  (completion.choices[0]?.message.tool_calls ?? []).flatMap((call) =>
    call.type === 'function' ? [call] : [],
  );

describe('a chat completion', () => {
  it('has every field of the documented object', async () => {
    expect(await create({})).toEqual({
      id: expect.stringMatching(/^chatcmpl-[A-Za-z0-9]{29}$/),
      object: 'chat.completion',
      created: expect.any(Number),
      model: 'sim-small',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content: expect.any(String), refusal: null, annotations: [] },
          logprobs: null,
          finish_reason: 'stop',
        },
      ],
      usage: expect.objectContaining({ prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 } }),
      service_tier: 'default',
      system_fingerprint: expect.any(String),
    });
  });

  it('reports usage that counts the text it gives', async () => {
    const { choices, usage } = await create({});
    expect(usage?.completion_tokens).toBe(countTokens(choices[0]?.message.content ?? ''));
    expect(usage?.total_tokens).toBe((usage?.prompt_tokens ?? 0) + (usage?.completion_tokens ?? 0));
  });

  it('repeats Unicode and several lines exactly', async () => {
    const text = 'Größe 👩‍👩‍👧‍👦\n𝒳 = ∑ᵢ xᵢ\t“quoted” שלום 日本語';
    const { choices } = await create({ messages: userMessage(`Repeat exactly: ${text}`) });
    expect(choices[0]?.message.content).toBe(text);
  });

  it.each(['max_tokens', 'max_completion_tokens'] as const)(
    'is cut at exactly %s with finish_reason length',
    async (field) => {
      const { choices, usage } = await create({ messages: userMessage('write 200 words'), [field]: 13 });
      expect(choices[0]?.finish_reason).toBe('length');
      expect(usage?.completion_tokens).toBe(13);
      expect(countTokens(choices[0]?.message.content ?? '')).toBe(13);
    },
  );

  it('ends before the first stop sequence with finish_reason stop', async () => {
    const messages = userMessage('Repeat exactly: alpha beta gamma delta');
    const one = await create({ messages, stop: ' gamma' });
    expect(one.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'alpha beta' } });
    const several = await create({ messages, stop: ['delta', 'beta'] });
    expect(several.choices[0]?.message.content).toBe('alpha ');
  });

  it('gives n different choices and bills them all', async () => {
    const { choices, usage } = await create({ n: 4 });
    expect(new Set(choices.map((choice) => choice.message.content)).size).toBe(4);
    expect(choices.map((choice) => choice.index)).toEqual([0, 1, 2, 3]);
    const counted = choices.reduce((sum, choice) => sum + countTokens(choice.message.content ?? ''), 0);
    expect(usage?.completion_tokens).toBe(counted);
    const repeats = await create({ n: 3, messages: userMessage('say exactly: same') });
    expect(repeats.choices.map((choice) => choice.message.content)).toEqual(['same', 'same', 'same']);
  });

  it('takes images by address and as data, at 765 tokens each', async () => {
    const image = (url: string) => ({ type: 'image_url' as const, image_url: { url } });
    const text = { type: 'text' as const, text: 'look' };
    const images = [image('https://example.com/a.png'), image('data:image/png;base64,iVBORw0KGgo=')];
    const seen = await create({ messages: [{ role: 'user', content: [text, ...images] }] });
    const plain = await create({ messages: [{ role: 'user', content: [text] }] });
    expect(seen.choices[0]?.message.content).toContain('2 images');
    expect((seen.usage?.prompt_tokens ?? 0) - (plain.usage?.prompt_tokens ?? 0)).toBe(2 * 765);
  });

  it('calls a forced tool with arguments that satisfy its schema', async () => {
    for (const tool_choice of [
      { type: 'function' as const, function: { name: 'get_weather' } },
      'required' as const,
    ]) {
      const completion = await create({ tools: [weather, clock], tool_choice });
      expect(completion.choices[0]).toMatchObject({
        finish_reason: 'tool_calls',
        message: { content: null },
      });
      const [call, ...others] = functionCalls(completion);
      expect(others).toEqual([]);
      expect(call?.id).toMatch(/^call_[A-Za-z0-9]{24}$/);
      expect(call?.function.name).toBe('get_weather');
      weatherArguments.parse(JSON.parse(call?.function.arguments ?? ''));
    }
  });

  it('calls every tool the user names, unless parallel calls are off', async () => {
    const asked = { messages: userMessage('Use get-time and then get_weather.'), tools: [weather, clock] };
    const both = functionCalls(await create(asked));
    expect(both.map((call) => call.function.name)).toEqual(['get-time', 'get_weather']);
    expect(both[0]?.function.arguments).toBe('{}');
    expect(new Set(both.map((call) => call.id)).size).toBe(2);
    expect(functionCalls(await create({ ...asked, parallel_tool_calls: false }))).toHaveLength(1);
  });

  it('calls no tool that the user does not name, and none with tool_choice none', async () => {
    expect(functionCalls(await create({ tools: [weather] }))).toEqual([]);
    const messages = userMessage('Use get_weather please');
    expect(functionCalls(await create({ messages, tools: [weather], tool_choice: 'none' }))).toEqual([]);
    expect(
      functionCalls(await create({ messages: userMessage('about get_weather_now'), tools: [weather] })),
    ).toEqual([]);
    const repeat = await create({ messages: userMessage('Repeat exactly: get_weather'), tools: [weather] });
    expect(repeat.choices[0]?.message.content).toBe('get_weather');
  });

  it('answers in text after the results of its tool calls, and repeats its call identically', async () => {
    const messages = userMessage('Use get_weather');
    const first = await create({ messages, tools: [weather] });
    expect(functionCalls(await create({ messages, tools: [weather] }))).toEqual(functionCalls(first));
    const call = functionCalls(first)[0];
    if (call === undefined) throw new Error('no call');
    const second = await create({
      tools: [weather],
      messages: [
        ...messages,
        { role: 'assistant', content: null, tool_calls: [call] },
        { role: 'tool', tool_call_id: call.id, content: 'sunny, 21 degrees' },
      ],
    });
    expect(second.choices[0]?.finish_reason).toBe('stop');
    expect(second.choices[0]?.message.content).toContain('sunny, 21 degrees');
  });

  it('cuts tool arguments at max_tokens', async () => {
    const completion = await create({ tools: [weather], tool_choice: 'required', max_tokens: 5 });
    expect(completion.choices[0]?.finish_reason).toBe('length');
    expect(completion.usage?.completion_tokens).toBe(5);
    expect(() => JSON.parse(functionCalls(completion)[0]?.function.arguments ?? '')).toThrow();
  });

  it('gives a JSON object for json_object and a valid instance for json_schema', async () => {
    const object = await create({ response_format: { type: 'json_object' } });
    expect(JSON.parse(object.choices[0]?.message.content ?? '')).toEqual(expect.any(Object));
    const json_schema = { name: 'forecast', schema: weather.function.parameters, strict: true };
    const instance = await create({ response_format: { type: 'json_schema', json_schema } });
    weatherArguments.parse(JSON.parse(instance.choices[0]?.message.content ?? ''));
  });

  it('reads half of the prompt from the cache for a model named -cached', async () => {
    const { usage } = await create({ model: 'x-cached' });
    expect(usage?.prompt_tokens_details?.cached_tokens).toBe(Math.floor((usage?.prompt_tokens ?? 0) / 2));
  });

  it('refuses for a model of that name, streamed or not', async () => {
    const { choices } = await create({ model: 'refusal' });
    expect(choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { content: null, refusal: expect.stringContaining('cannot') },
    });
    const stream = upstream.openai().chat.completions.stream(ask('hello', 'refusal'));
    const streamed = (await stream.finalChatCompletion()).choices[0];
    expect(streamed?.message.refusal).toBe(choices[0]?.message.refusal);
  });

  it('accepts fields it does not know', async () => {
    expect(
      (await upstream.post({ ...ask('hello'), reasoning_effort: 'low', made_up: { a: 1 } })).status,
    ).toBe(200);
  });
});
