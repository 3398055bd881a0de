import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { UpstreamFailure } from '../../core/upstream/provider.ts';
import { NO_FIELDS } from '../../testing/fields/no-fields.ts';
import { decode, partsOf as decodedParts, decodeFor } from '../../testing/providers/openai/decoding.ts';
import { CALL, CONVERTED, IDENTITY } from '../../testing/providers/openai/fixtures.ts';
import { textParts } from '../../testing/providers/parts.ts';
import { collect, encode, event, partsIn } from '../../testing/providers/streams.ts';
import { type OpenAiCallContext, toRouteResponse } from './response.ts';

const DONE = 'data: [DONE]\n\n';
const chunk = (delta: unknown, reason: unknown = null, fields: object = {}) => ({
  choices: [{ index: 0, delta, finish_reason: reason }],
  ...fields,
});
const toolCallDelta = (call: object) => chunk({ tool_calls: [call] });
const sse = (...chunks: readonly unknown[]) => chunks.map(event).join('');
const partsOf = (text: string) => decodedParts(encode(text));

interface Native {
  readonly text: string;
  readonly calls: JsonObject[];
  readonly reasons: unknown[];
}

/**
 * Returns the content that a client of the protocol collects. It joins calls by their numbers, as OpenAI's SDK does.
 */
async function nativeOf(text: string): Promise<Native> {
  const events = await collect(decode(encode(text)));
  const calls: { id?: string; name?: string; arguments: string }[] = [];
  const reasons: unknown[] = [];
  let content = '';
  for (const { nativeEvent } of events) {
    for (const { delta, finish_reason: reason } of (nativeEvent?.choices ?? []) as {
      delta: { content?: string; tool_calls?: { index: number; id?: string; function?: JsonObject }[] };
      finish_reason: unknown;
    }[]) {
      content += delta.content ?? '';
      if (reason !== null) reasons.push(reason);
      for (const { index, id, function: called = {} } of delta.tool_calls ?? []) {
        const call = calls[index] ?? { arguments: '' };
        calls[index] = call;
        if (id !== undefined) call.id = (call.id ?? '') + id;
        if (called.name !== undefined) call.name = (call.name ?? '') + String(called.name);
        call.arguments += String(called.arguments ?? '');
      }
    }
  }
  return { text: content, calls, reasons };
}

const generatedId = (number: number) => `${IDENTITY.id}_${number}`;
const f = (name: string, text: string) => ({ name, arguments: text });

describe('tool calls as hosts have them (D10, D11)', () => {
  it('receive valid ids for callers of every other protocol', async () => {
    const text = sse(toolCallDelta({ index: 0, id: 'functions.x:0|<é>', function: f('x', '{}') })) + DONE;
    const [start] = await partsOf(text);
    expect(start).toMatchObject({ content: { id: expect.stringMatching(/^[a-zA-Z0-9_-]{1,40}$/) } });
    const message = { tool_calls: [{ id: 'functions.x:0', function: f('x', '{}') }] };
    expect(toRouteResponse({ choices: [{ message }] }, CONVERTED).completeResponse).toMatchObject({
      output: { parts: [{ id: expect.stringMatching(/^[a-zA-Z0-9_-]{1,40}$/) }] },
    });
  });

  it('receive ids also in a complete response', () => {
    const message = {
      tool_calls: ['', 'a', 'a'].map((id) => ({ id, type: 'function', function: f('x', '{}') })),
    };
    const { completeResponse } = toRouteResponse({ choices: [{ message, finish_reason: 'stop' }] }, CALL);
    expect(completeResponse).toMatchObject({
      body: {
        choices: [
          {
            message: { tool_calls: [{ id: generatedId(0) }, { id: 'a' }, { id: generatedId(2) }] },
            finish_reason: 'tool_calls',
          },
        ],
      },
    });
  });
});

describe('the end of a response', () => {
  const call = toolCallDelta({ index: 0, id: 'a', function: f('x', '{}') });

  it.each([
    ['stop beside tool calls (D11)', sse(call, chunk({}, 'stop')) + DONE, 'tool-calls', 'tool_calls'],
    ['none at all (D12)', sse(chunk({ content: 'Hi' })) + DONE, 'stop', 'stop'],
    ['none, with tool calls', sse(call) + DONE, 'tool-calls', 'tool_calls'],
    ['an empty one', sse(chunk({ content: 'Hi' }, '')) + DONE, 'stop', 'stop'],
    ['a new name', sse(chunk({ content: 'Hi' }), chunk({}, 'end')) + DONE, 'stop', 'stop'],
    [
      'a name of its own',
      sse(chunk({ content: 'Hi' }), chunk({}, 'model_length')) + DONE,
      'length',
      'length',
    ],
    ['no [DONE] (D16)', sse(chunk({ content: 'Hi' }), chunk({}, 'length')), 'length', 'length'],
    [
      'no [DONE] and none, but the account',
      sse(chunk({ content: 'Hi' }), { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      'length',
      'length',
    ],
    [
      'no [DONE] and none, but the account after a tool call',
      sse(call, { choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } }),
      'length',
      'length',
    ],
    ['no blank line', sse(chunk({ content: 'Hi' }), chunk({}, 'stop')).trimEnd(), 'stop', 'stop'],
    ['[DONE] without a blank line', `${sse(chunk({ content: 'Hi' }))}data: [DONE]`, 'stop', 'stop'],
  ])('yields a finish reason with %s', async (_name, text, reason, name) => {
    expect((await partsOf(text)).at(-1)).toMatchObject({ type: 'finish', reason });
    expect((await nativeOf(text)).reasons).toEqual([name]);
  });

  it.each([
    ['a body cut within an event', `${sse(chunk({ content: 'Hi' }))}data: {"choices":[{"in`],
    ['a body that ends amid the answer', sse(chunk({ content: 'Hi' }))],
    [
      'an account in every chunk (D15)',
      sse(chunk({ content: 'Hi' }, null, { usage: { prompt_tokens: 1, completion_tokens: 1 } })),
    ],
    ['a reason that says that it failed', sse(chunk({ content: 'Hi' }), chunk({}, 'network_error')) + DONE],
  ])('causes a failure with %s', async (_name, text) => {
    await expect(nativeOf(text)).rejects.toThrow(UpstreamFailure);
    await expect(partsOf(text)).rejects.toThrow(UpstreamFailure);
  });
});

describe('the events of a stream', () => {
  it('include unknown events, several chunks each, and repetitions of the complete text (D16)', async () => {
    const cumulative = { choices: [{ index: 0, delta: { content: 'b' }, message: { content: 'ab' } }] };
    const pair = `data: ${JSON.stringify(chunk({ content: 'a' }))}\ndata: ${JSON.stringify(cumulative)}\n\n`;
    const ping = `event: ping\ndata: {"type":"ping"}\n\n${sse({ object: 'host.heartbeat' })}`;
    const text = `${ping}: comment\n\n${pair}${ping}${sse(chunk({}, 'stop'))}${DONE}`;
    expect(await partsOf(text)).toEqual([
      ...textParts(0, 'a', 'b'),
      { type: 'finish', reason: 'stop', raw: 'stop' },
    ]);
    expect(await nativeOf(text)).toMatchObject({ text: 'ab', reasons: ['stop'] });
  });

  it('include texts in content parts, and thoughts among them (D17)', async () => {
    const thinking = [{ type: 'text', text: 'Hm.' }];
    const text = sse(
      chunk({ content: [{ type: 'thinking', thinking }] }),
      chunk({ content: [{ type: 'text', text: 'a' }] }, 'stop'),
    );
    expect((await partsOf(text + DONE)).flatMap((part) => (part.type === 'delta' ? part.text : []))).toEqual([
      'Hm.',
      'a',
    ]);
    expect((await nativeOf(text + DONE)).text).toBe('a');
    const message = {
      content: [
        { type: 'thinking', thinking },
        { type: 'text', text: 'a' },
      ],
    };
    expect(
      toRouteResponse({ choices: [{ message, finish_reason: 'stop' }] }, CONVERTED).completeResponse,
    ).toMatchObject({
      output: {
        parts: [
          { type: 'reasoning', text: 'Hm.' },
          { type: 'text', text: 'a' },
        ],
      },
    });
  });

  it('drop `{}` where arguments follow it, and give it where they do not (D13)', async () => {
    const deltas = [
      toolCallDelta({ index: 0, id: 'a', function: f('x', '{}') }),
      toolCallDelta({ index: 1, id: 'b', function: f('y', '{}') }),
      toolCallDelta({ index: 2, id: 'c', function: f('z', '{}') }),
      toolCallDelta({ index: 0, function: { arguments: ' ' } }),
      toolCallDelta({ index: 0, function: { arguments: '{"a":' } }),
      toolCallDelta({ index: 2, function: { arguments: ' ' } }),
      toolCallDelta({ index: 0, function: { arguments: '{}}' } }),
    ];
    for (const end of ['', event(chunk({}, 'tool_calls')), event({ choices: [{ finish_reason: 'stop' }] })]) {
      const text = sse(...deltas) + end + DONE;
      const content = (await partsOf(text)).flatMap((part) => (part.type === 'delta' ? [part] : []));
      const argumentsOf = (index: number) =>
        content.map((part) => (part.index === index ? part.text : '')).join('');
      expect([0, 1, 2].map(argumentsOf)).toEqual(['{"a":{}}', '{}', '{} ']);
      const { calls, reasons } = await nativeOf(text);
      expect(calls.map((call) => call.arguments)).toEqual(['{"a":{}}', '{}', '{} ']);
      expect(reasons).toEqual(['tool_calls']);
    }
  });
});

describe('JSON output in the reasoning (`json_answer`, D23)', () => {
  const CALLED = {
    ...CALL,
    route: { dialect: { json_answer: 'reasoning' as const } },
    payload: {
      ...CALL.payload,
      fields: {
        ...NO_FIELDS,
        needs: [{ kind: 'capability' as const, name: 'json' as const, param: 'response_format' }],
      },
    },
  };
  const converted = { ...CALLED, payload: { ...CALLED.payload, protocol: 'anthropic' as const } };
  const thought = (field: string, text: string) => chunk({ [field]: text });
  const FINAL_EVENT = event(chunk({}, 'stop'));

  const content = async (text: string, call: OpenAiCallContext = CALLED) => {
    const events = await collect(decodeFor(call, encode(text)));
    const deltas = events.flatMap(({ nativeEvent }) =>
      ((nativeEvent?.choices ?? []) as { delta: JsonObject }[]).map(({ delta }) => delta),
    );
    const all = (field: string) => deltas.map((delta) => delta[field] ?? '').join('');
    return { content: all('content'), reasoning: all('reasoning_content') + all('reasoning') };
  };
  const partsOfCall = async (text: string, call: OpenAiCallContext = converted) =>
    partsIn(await collect(decodeFor(call, encode(text)))).flatMap((part) =>
      part.type === 'start' ? [part.content.type] : part.type === 'delta' ? [part.text] : [],
    );

  it.each(['reasoning_content', 'reasoning'])(
    'becomes the text if there is no other output: %s',
    async (field) => {
      const deltas = sse(thought(field, '{"a":'), thought(field, '1}'));
      for (const text of [deltas + FINAL_EVENT + DONE, deltas + DONE]) {
        expect(await content(text)).toEqual({ content: '{"a":1}', reasoning: '' });
        expect(await partsOfCall(text)).toEqual(['text', '{"a":1}']);
      }
      const message = { content: '', [field]: '{"a":1}' };
      const responseBody = { choices: [{ message, finish_reason: 'stop' }] };
      expect(toRouteResponse(responseBody, CALLED).completeResponse).toMatchObject({
        body: { choices: [{ message: { content: '{"a":1}' } }] },
      });
      expect(JSON.stringify(toRouteResponse(responseBody, CALLED).completeResponse)).not.toContain(
        'reasoning',
      );
      expect(toRouteResponse(responseBody, converted).completeResponse).toMatchObject({
        output: { parts: [{ type: 'text', text: '{"a":1}' }] },
      });
    },
  );

  it('excludes what a model thinks before its text or its calls', async () => {
    const thoughts = sse(thought('reasoning', 'Hm'), thought('reasoning', '.'));
    const text = thoughts + sse(chunk({ content: '{' }), chunk({ content: '}' })) + FINAL_EVENT + DONE;
    expect(await content(text)).toEqual({ content: '{}', reasoning: 'Hm.' });
    expect(await partsOfCall(text)).toEqual(['reasoning', 'Hm.', 'text', '{', '}']);
    const calls =
      thoughts + sse(toolCallDelta({ index: 0, id: 'a', function: f('x', '{}') })) + FINAL_EVENT + DONE;
    expect(await partsOfCall(calls)).toEqual(['reasoning', 'Hm.', 'tool-call', '{}']);
    const message = { content: '{}', reasoning: 'Hm.' };
    expect(toRouteResponse({ choices: [{ message }] }, converted).completeResponse).toMatchObject({
      output: { parts: [{ type: 'reasoning' }, { type: 'text', text: '{}' }] },
    });
  });

  it.each<[string, OpenAiCallContext]>([
    [
      'a caller who asked for no JSON',
      { ...converted, payload: { ...converted.payload, fields: NO_FIELDS } },
    ],
    ['a route without the flag', { ...converted, route: {} }],
  ])('remains reasoning for %s', async (_name, call) => {
    expect(await partsOfCall(sse(thought('reasoning', '{}')) + FINAL_EVENT + DONE, call)).toEqual([
      'reasoning',
      '{}',
    ]);
    const responseBody = { choices: [{ message: { content: '', reasoning: '{}' } }] };
    expect(toRouteResponse(responseBody, call).completeResponse).toMatchObject({
      output: { parts: [{ type: 'reasoning' }] },
    });
  });

  it('counts once', async () => {
    const text = sse(thought('reasoning', '{"a":'), thought('reasoning', '1}')) + DONE;
    const events = await collect(decodeFor(CALLED, encode(text)));
    expect(events.map((each) => each.outputText).join('')).toBe('{"a":1}');
  });
});
