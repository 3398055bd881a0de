import type Anthropic from '@anthropic-ai/sdk';
import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { countTokens } from '../../../simulators/models/model/tokens.ts';
import { ask, CLAUDE_HEADERS, runningUpstream, SIGNED_HEADERS } from './running-upstream.ts';

const upstream = runningUpstream();
const PNG = 'iVBORw0KGgo=';

/** What is asked, whatever the wire format. */
interface Question {
  readonly text?: string;
  readonly images?: number;
  readonly system?: string;
  readonly model?: string;
  readonly maxTokens?: number;
  readonly stop?: string;
  readonly tools?: readonly string[];
  /** `any`, or the name of a tool. */
  readonly choice?: string;
  readonly schema?: object;
  /** Results by the name of the tool, which an earlier turn called; one that begins with `!` is a failure. */
  readonly results?: Readonly<Record<string, string>>;
}

interface Answer {
  readonly text: string;
  readonly calls: readonly { readonly name: string; readonly input: unknown }[];
  readonly finish: string;
  readonly tokens: readonly [prompt: number, completion: number];
}

interface Format {
  readonly ask: (question: Question) => Promise<Answer>;
  /** Of the reasons for which an answer ends. */
  readonly finish: Readonly<Record<'stop' | 'length' | 'sequence' | 'tools' | 'refusal', string>>;
}

const schemaOf = (name: string) =>
  name === 'clock'
    ? { type: 'object' }
    : {
        type: 'object',
        properties: { city: { type: 'string' }, unit: { enum: ['c', 'f'] } },
        required: ['city', 'unit'],
        additionalProperties: false,
      };
const weatherInput = z.strictObject({ city: z.string(), unit: z.enum(['c', 'f']) });

const json = async (response: Promise<Response>): Promise<Record<string, never>> => {
  const answer = await response;
  const text = await answer.text();
  if (answer.status !== 200) throw new Error(text);
  return JSON.parse(text);
};

const chat: Format = {
  finish: { stop: 'stop', length: 'length', sequence: 'stop', tools: 'tool_calls', refusal: 'stop' },
  async ask({ text = 'hello', images = 0, model = 'sim', ...over }) {
    const url = `data:image/png;base64,${PNG}`;
    const parts = Array.from({ length: images }, () => ({ type: 'image_url', image_url: { url } }));
    const results = Object.entries(over.results ?? {});
    const call = (name: string) => ({ id: name, type: 'function', function: { name, arguments: '{}' } });
    const body = {
      model,
      messages: [
        ...(over.system === undefined ? [] : [{ role: 'system', content: over.system }]),
        { role: 'user', content: [{ type: 'text', text }, ...parts] },
        ...(results.length === 0
          ? []
          : [{ role: 'assistant', tool_calls: results.map(([name]) => call(name)) }]),
        ...results.map(([id, content]) => ({ role: 'tool', tool_call_id: id, content })),
      ],
      max_tokens: over.maxTokens,
      stop: over.stop,
      tools: over.tools?.map((name) => ({
        type: 'function',
        function: { name, parameters: schemaOf(name) },
      })),
      ...(over.choice === 'any' ? { tool_choice: 'required' } : {}),
      ...(over.choice === undefined || over.choice === 'any'
        ? {}
        : { tool_choice: { type: 'function', function: { name: over.choice } } }),
      ...(over.schema === undefined
        ? {}
        : { response_format: { type: 'json_schema', json_schema: { name: 'x', schema: over.schema } } }),
    };
    const { choices, usage } = (await json(upstream.post(body))) as unknown as {
      choices: {
        message: {
          content: string | null;
          tool_calls?: { function: { name: string; arguments: string } }[];
        };
        finish_reason: string;
      }[];
      usage: Record<string, number>;
    };
    const { message, finish_reason: finish = '' } = choices[0] ?? {};
    const calls = (message?.tool_calls ?? []).map(({ function: { name, arguments: input } }) => ({
      name,
      input: JSON.parse(input),
    }));
    const tokens = [usage.prompt_tokens ?? 0, usage.completion_tokens ?? 0] as const;
    return { text: message?.content ?? '', calls, finish, tokens };
  },
};

const claude: Format = {
  finish: {
    ...{ stop: 'end_turn', length: 'max_tokens', sequence: 'stop_sequence' },
    ...{ tools: 'tool_use', refusal: 'refusal' },
  },
  async ask({ text = 'hello', images = 0, model = 'sim', maxTokens = 1000, ...over }) {
    const source = { type: 'base64', media_type: 'image/png', data: PNG };
    const results = Object.entries(over.results ?? {});
    const body = {
      model,
      max_tokens: maxTokens,
      system: over.system,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text },
            ...Array.from({ length: images }, () => ({ type: 'image', source })),
          ],
        },
        ...(results.length === 0
          ? []
          : [
              {
                role: 'assistant',
                content: results.map(([name]) => ({ type: 'tool_use', id: name, name, input: {} })),
              },
              {
                role: 'user',
                content: results.map(([id, content]) => ({
                  ...{ type: 'tool_result', tool_use_id: id, content, is_error: content.startsWith('!') },
                })),
              },
            ]),
      ],
      stop_sequences: over.stop === undefined ? undefined : [over.stop],
      tools: over.tools?.map((name) => ({ name, input_schema: schemaOf(name) })),
      tool_choice:
        over.choice === undefined
          ? undefined
          : over.choice === 'any'
            ? { type: 'any' }
            : { type: 'tool', name: over.choice },
      output_config:
        over.schema === undefined ? undefined : { format: { type: 'json_schema', schema: over.schema } },
    };
    const message = (await json(upstream.postMessage(body))) as unknown as Anthropic.Message;
    return {
      text: message.content.map((block) => (block.type === 'text' ? block.text : '')).join(''),
      calls: message.content
        .filter((block) => block.type === 'tool_use')
        .map(({ name, input }) => ({ name, input })),
      finish: message.stop_reason ?? '',
      tokens: [message.usage.input_tokens, message.usage.output_tokens],
    };
  },
};

const converse: Format = {
  finish: { ...claude.finish, refusal: 'content_filtered' },
  async ask({ text = 'hello', images = 0, model, ...over }) {
    const image = { image: { format: 'png', source: { bytes: PNG } } };
    const results = Object.entries(over.results ?? {});
    const choice = over.choice === 'any' ? { any: {} } : { tool: { name: over.choice } };
    const structure = { jsonSchema: { schema: JSON.stringify(over.schema) } };
    const resultOf = (id: string, said: string) => ({
      toolResult: {
        ...{ toolUseId: id, content: [{ text: said }], status: said.startsWith('!') ? 'error' : 'success' },
      },
    });
    const body = {
      ...(over.system === undefined ? {} : { system: [{ text: over.system }] }),
      messages: [
        { role: 'user', content: [{ text }, ...Array(images).fill(image)] },
        ...(results.length === 0
          ? []
          : [
              {
                role: 'assistant',
                content: results.map(([name]) => ({ toolUse: { toolUseId: name, name, input: {} } })),
              },
              { role: 'user', content: results.map(([id, said]) => resultOf(id, said)) },
            ]),
      ],
      inferenceConfig: {
        maxTokens: over.maxTokens,
        ...(over.stop === undefined ? {} : { stopSequences: [over.stop] }),
      },
      ...(over.tools === undefined
        ? {}
        : {
            toolConfig: {
              tools: over.tools.map((name) => ({
                toolSpec: { name, inputSchema: { json: schemaOf(name) } },
              })),
              ...(over.choice === undefined ? {} : { toolChoice: choice }),
            },
          }),
      ...(over.schema === undefined
        ? {}
        : { outputConfig: { textFormat: { type: 'json_schema', structure } } }),
    };
    const answer = (await json(upstream.postConverse('converse', body, model))) as unknown as {
      output: { message: { content: { text?: string; toolUse?: { name: string; input: unknown } }[] } };
      stopReason: string;
      usage: Record<string, number>;
    };
    const { content } = answer.output.message;
    return {
      text: content.map((block) => block.text ?? '').join(''),
      calls: content.flatMap(({ toolUse }) =>
        toolUse ? [{ name: toolUse.name, input: toolUse.input }] : [],
      ),
      finish: answer.stopReason,
      tokens: [answer.usage.inputTokens ?? 0, answer.usage.outputTokens ?? 0],
    };
  },
};

const FORMATS: readonly (readonly [string, Format])[] = [
  ['chat completions', chat],
  ['Messages', claude],
  ['Converse', converse],
];

describe.each(FORMATS)('an answer to %s', (_name, { ask: answerTo, finish }) => {
  it('counts its text, and is the same for the same question', async () => {
    const answer = await answerTo({});
    expect(answer).toMatchObject({ finish: finish.stop, calls: [] });
    expect(answer.tokens[1]).toBe(countTokens(answer.text));
    expect(await answerTo({})).toEqual(answer);
    expect((await answerTo({ text: 'goodbye' })).text).not.toBe(answer.text);
  });

  it('repeats Unicode and several lines exactly, also for the system', async () => {
    const text = 'Größe 👩‍👩‍👧‍👦\n𝒳 = ∑ᵢ xᵢ\t“quoted” שלום 日本語';
    expect((await answerTo({ text: `Repeat exactly: ${text}` })).text).toBe(text);
    expect((await answerTo({ system: 'Always reply with exactly: PONG' })).text).toBe('PONG');
  });

  it('is cut at exactly the token limit', async () => {
    const cut = await answerTo({ text: 'write 200 words', maxTokens: 13 });
    expect([cut.finish, cut.tokens[1], countTokens(cut.text)]).toEqual([finish.length, 13, 13]);
  });

  it('ends before a stop sequence', async () => {
    const stopped = await answerTo({ text: 'Repeat exactly: alpha beta gamma', stop: ' gamma' });
    expect([stopped.text, stopped.finish]).toEqual(['alpha beta', finish.sequence]);
  });

  it('declines when a fault makes it', async () => {
    await upstream.fault({ refusal: true });
    expect((await answerTo({})).finish).toBe(finish.refusal);
  });

  it('sees images, at 765 tokens each', async () => {
    const { text, tokens } = await answerTo({ images: 2 });
    expect(text).toContain('2 images');
    expect(tokens[0]).toBe((await answerTo({})).tokens[0] + 2 * 765);
  });

  it('calls a forced tool with input that satisfies its schema', async () => {
    for (const choice of ['get_weather', 'any']) {
      const answer = await answerTo({ tools: ['get_weather', 'clock'], choice });
      expect([answer.finish, answer.calls.map(({ name }) => name)]).toEqual([finish.tools, ['get_weather']]);
      weatherInput.parse(answer.calls[0]?.input);
    }
  });

  it('calls the tools that the user names, in that order', async () => {
    const tools = ['get_weather', 'clock'];
    const { calls } = await answerTo({ text: 'Use clock and then get_weather.', tools });
    expect(calls.map(({ name }) => name)).toEqual(['clock', 'get_weather']);
    expect(calls[0]?.input).toEqual({});
    expect((await answerTo({ tools })).calls).toEqual([]);
    expect((await answerTo({ text: 'Repeat exactly: clock', tools })).text).toBe('clock');
  });

  it('answers in text after the results of its calls', async () => {
    const results = { get_weather: 'sunny, 21 degrees', clock: '!no clock here' };
    const answer = await answerTo({ text: 'Use clock', tools: ['get_weather', 'clock'], results });
    expect(answer.finish).toBe(finish.stop);
    expect(answer.text).toContain('The tool returned: sunny, 21 degrees');
    expect(answer.text).toContain('!no clock here');
  });

  it('is an instance of the schema asked for', async () => {
    const { text } = await answerTo({ schema: schemaOf('get_weather') });
    weatherInput.parse(JSON.parse(text));
  });
});

it.each<[string, Question]>([
  ['a text', { text: 'Describe Oslo', system: 'You are terse.', maxTokens: 100 }],
  ['a call', { text: 'Use get_weather', tools: ['get_weather'] }],
  ['the result of a call', { tools: ['clock'], results: { clock: 'nine' } }],
  ['JSON', { schema: schemaOf('get_weather') }],
])('the wire formats give %s with the same content at the same price', async (_name, question) => {
  const { finish: _finish, ...first } = await chat.ask(question);
  expect(await claude.ask(question)).toMatchObject(first);
  expect(await converse.ask(question)).toMatchObject(first);
});

describe('what of the prompt is cached', () => {
  const text = { type: 'text', text: 'hello', cache_control: { type: 'ephemeral' } };
  const usageOf = async (model: string) => {
    const body = { model, max_tokens: 9, messages: [{ role: 'user', content: [text] }] };
    return (await json(upstream.postMessage(body))).usage as unknown as Anthropic.Usage;
  };

  it('is what is marked, and half of it for a model named -cached', async () => {
    const { tokens } = await claude.ask({});
    const half = Math.floor(tokens[0] / 2);
    const rest = { input_tokens: tokens[0] - half };
    const marked = 1;
    expect(await usageOf('sim')).toMatchObject({
      input_tokens: tokens[0] - marked,
      ...{ cache_creation_input_tokens: marked, cache_read_input_tokens: 0 },
      cache_creation: { ephemeral_5m_input_tokens: marked },
    });
    expect(await usageOf('x-cached')).toMatchObject({
      ...{ ...rest, cache_creation_input_tokens: 0, cache_read_input_tokens: half },
    });
    const messages = [{ role: 'user', content: [{ text: 'hello' }, { cachePoint: { type: 'default' } }] }];
    expect((await json(upstream.postConverse('converse', { messages }))).usage).toMatchObject({
      ...{ inputTokens: tokens[0] - marked, cacheWriteInputTokens: marked },
      totalTokens: tokens[0] + tokens[1],
    });
    const { usage } = await upstream.openai().chat.completions.create(ask('hello', 'x-cached'));
    expect(usage?.prompt_tokens_details?.cached_tokens).toBe(half);
  });
});

describe('a chat completion', () => {
  it('has every field of the documented object', async () => {
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

  it('calls no tool with tool_choice none, and one where parallel calls are off', async () => {
    const functions = ['clock', 'get_weather'].map((name) => ({ name, parameters: schemaOf(name) }));
    const tools = functions.map((each) => ({ type: 'function' as const, function: each }));
    const callsOf = async (over: object) => {
      const asked = { ...ask('Use clock and get_weather'), tools, ...over };
      return (await upstream.openai().chat.completions.create(asked)).choices[0]?.message.tool_calls?.length;
    };
    expect(await callsOf({})).toBe(2);
    expect(await callsOf({ parallel_tool_calls: false })).toBe(1);
    expect(await callsOf({ tool_choice: 'none' })).toBeUndefined();
    const response_format = { type: 'json_object' as const };
    const object = await upstream.openai().chat.completions.create({ ...ask('hello'), response_format });
    expect(JSON.parse(object.choices[0]?.message.content ?? '')).toEqual({ answer: expect.any(String) });
  });

  it('is served by Bedrock to signed requests alone', async () => {
    const path = '/openai/v1/chat/completions';
    const body = ask('Say exactly: hi', 'openai.gpt-oss-20b-1:0');
    const headers = SIGNED_HEADERS;
    expect(await json(upstream.postTo(path, body, { headers }))).toMatchObject({
      choices: [{ message: { content: 'hi' } }],
    });
    const bearer = await upstream.postTo(path, body, { headers: { authorization: 'Bearer k' } });
    expect(bearer.status).toBe(403);
    const refused = await upstream.postTo(path, { ...body, messages: [] }, { headers });
    expect(await refused.json()).toMatchObject({ error: { type: 'invalid_request_error' } });
  });
});

describe('a message', () => {
  it('is counted in advance exactly as it is billed', async () => {
    const asked = { model: 'sim', system: 'Be brief.', messages: ask('how are you?').messages };
    const { input_tokens } = await upstream.anthropic().messages.countTokens(asked);
    const { usage } = await upstream.anthropic().messages.create({ ...asked, max_tokens: 5 });
    expect(usage.input_tokens).toBe(input_tokens);
  });

  it('begins with a signed thought on request, which is accepted back, and says the same after it', async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const base = { ...ask('hello'), max_tokens: 2000, thinking };
    const { content, usage } = (await json(upstream.postMessage(base))) as unknown as Anthropic.Message;
    const [thought] = content;
    if (thought?.type !== 'thinking') throw new Error('no thought');
    expect(thought.signature).toMatch(/==$/);
    expect(content[1]).toMatchObject({ text: (await claude.ask({})).text });
    expect(usage.output_tokens_details?.thinking_tokens).toBe(countTokens(thought.thinking));
    const back = [...base.messages, { role: 'assistant', content }, ...ask('and now?').messages];
    expect((await upstream.postMessage({ ...base, messages: back })).status).toBe(200);
    const headers = { ...CLAUDE_HEADERS, 'anthropic-version': '2026-10-21' };
    expect((await upstream.postTo('/v1/messages', base, { headers })).status).toBe(200);
  });
});

it('a Converse answer names the stop sequence that ended it when asked', async () => {
  const body = {
    messages: [{ role: 'user', content: [{ text: 'Repeat exactly: alpha beta' }] }],
    inferenceConfig: { stopSequences: [' beta'] },
    additionalModelResponseFieldPaths: ['/stop_sequence'],
  };
  expect(await json(upstream.postConverse('converse', body))).toMatchObject({
    additionalModelResponseFields: { stop_sequence: ' beta' },
  });
});
