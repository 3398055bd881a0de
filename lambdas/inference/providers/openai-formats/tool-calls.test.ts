import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { chatPayloadOf } from '../../testing/completions/payloads.ts';
import { FORMAT_NAMES, type FormatName } from '../../testing/completions/received.ts';
import { decode } from '../../testing/providers/openai/decoding.ts';
import { CALL } from '../../testing/providers/openai/fixtures.ts';
import { play, ROUTES, type Wire } from '../../testing/providers/played.ts';
import { SIGNATURES } from '../../testing/providers/sealing.ts';
import { collect, wire } from '../../testing/providers/streams.ts';
import { ENCODINGS, type VendorCall, waysOf } from '../../testing/providers/vendor-answers.ts';
import { toRequestBody } from '../openai/request.ts';
import { toRouteResponse } from '../openai/response.ts';

const PAIRS = ROUTES.flatMap((route) => FORMAT_NAMES.map((caller) => [route, caller] as const));
const END = {
  openai: 'tool_calls',
  'openai-responses': 'completed',
  anthropic: 'tool_use',
  bedrock: 'tool_use',
  gemini: 'STOP',
};

const call = (id: unknown, input: unknown): VendorCall => ({ id, name: 'f', arguments: input });

/** The responses with these calls that a caller gets, whole and streamed. */
const heardOf = async (route: (typeof ROUTES)[number], caller: FormatName, calls: readonly VendorCall[]) => {
  const ways = waysOf(route, { calls, end: END[route] });
  return Promise.all(ways.map((wire) => play({ caller, route }, wire)));
};

describe('two calls under one id', () => {
  it.each(PAIRS)(
    'receive different ids from %s for a caller of %s, as does each further call under that id',
    async (route, caller) => {
      for (const heard of await heardOf(route, caller, [
        call('a', '{"n":1}'),
        call('a', '{"n":2}'),
        call('b', '{"n":3}'),
      ])) {
        expect(heard?.calls.map(({ input }) => input)).toEqual([{ n: 1 }, { n: 2 }, { n: 3 }]);
        expect(heard?.ids).toEqual(['a', expect.not.stringMatching(/^[ab]$/), 'b']);
      }
    },
  );
});

const ROME = { ids: ['a'], calls: [{ name: 'f', input: { city: 'Rome' } }] };
const ROUTES_OF_TEXTS = ['openai', 'openai-responses'] as const;
const TEXT_PAIRS = ROUTES_OF_TEXTS.flatMap((route) => FORMAT_NAMES.map((caller) => [route, caller] as const));

describe('the arguments of a call', () => {
  it.each(TEXT_PAIRS)('become text for a caller if %s sends an object: %s', async (route, caller) => {
    for (const heard of await heardOf(route, caller, [call('a', { city: 'Rome' })]))
      expect(heard).toMatchObject(ROME);
  });

  it.each(TEXT_PAIRS)(
    'become an empty object if %s sends none, for a caller of %s',
    async (route, caller) => {
      for (const none of [null, undefined, ''])
        for (const heard of await heardOf(route, caller, [call('a', none)]))
          expect(heard).toMatchObject({ ids: ['a'], calls: [{ name: 'f', input: {} }] });
    },
  );

  const whole = (route: 'anthropic' | 'bedrock' | 'gemini', input: unknown): Wire => {
    const body = {
      anthropic: { content: [{ type: 'tool_use', id: 'a', name: 'f', input }], stop_reason: 'tool_use' },
      bedrock: {
        output: { message: { content: [{ toolUse: { toolUseId: 'a', name: 'f', input } }] } },
        stopReason: 'tool_use',
      },
      gemini: {
        candidates: [
          {
            content: { parts: [{ functionCall: { id: 'a', name: 'f', args: input } }] },
            finishReason: 'STOP',
          },
        ],
      },
    };
    return { body: body[route] };
  };

  it.each(
    (['anthropic', 'bedrock', 'gemini'] as const).flatMap((route) =>
      FORMAT_NAMES.map((caller) => [route, caller] as const),
    ),
  )('become an object if %s sends a text or nothing, for a caller of %s', async (route, caller) => {
    for (const [input, expected] of [
      ['{"city":"Rome"}', { city: 'Rome' }],
      ['', {}],
      [null, {}],
      [undefined, {}],
    ])
      expect(await play({ caller, route }, whole(route, input))).toMatchObject({
        ids: ['a'],
        calls: [{ name: 'f', input: expected }],
      });
  });

  it.each(FORMAT_NAMES)(
    'arrive once if a Messages server has them at the start of their block, too: %s',
    async (caller) => {
      const { events } = ENCODINGS.anthropic({ calls: [call('a', '{"city":"Rome"}')], end: 'tool_use' })
        .streamed as {
        events: readonly JsonObject[];
      };
      const repeated = events.map((event) =>
        event.type === 'content_block_start'
          ? { ...event, content_block: { type: 'tool_use', id: 'a', name: 'f', input: { city: 'Rome' } } }
          : event,
      );
      const withoutDeltas = repeated.filter(({ type }) => type !== 'content_block_delta');
      const unclosed = withoutDeltas.filter(({ type }) => type !== 'content_block_stop');
      for (const some of [events, repeated, withoutDeltas, unclosed])
        expect(await play({ caller, route: 'anthropic' }, { events: some })).toMatchObject(ROME);
    },
  );

  it('become text in the older form of a call', async () => {
    for (const [input, text] of [
      [{ a: 1 }, '{"a":1}'],
      [null, '{}'],
    ]) {
      const message = { role: 'assistant', content: null, function_call: { name: 'f', arguments: input } };
      const body = { choices: [{ index: 0, message, finish_reason: 'stop' }] };
      const { completeResponse } = toRouteResponse(body, CALL);
      expect(completeResponse).toMatchObject({
        body: { choices: [{ message: { function_call: { arguments: text } }, finish_reason: 'tool_calls' }] },
      });
    }
  });
});

describe('an empty list of calls', () => {
  const EMPTY = { role: 'assistant', content: 'Hi', tool_calls: [] };

  it('stays out of an answer, whole and streamed', async () => {
    const { completeResponse } = toRouteResponse(
      { choices: [{ index: 0, message: EMPTY, finish_reason: 'stop' }] },
      CALL,
    );
    expect(JSON.stringify(completeResponse)).not.toContain('tool_calls');
    const events = await collect(
      decode(
        wire(
          { choices: [{ index: 0, delta: EMPTY, finish_reason: null }] },
          { choices: [{ index: 0, delta: { tool_calls: [] }, finish_reason: 'stop' }] },
        ),
      ),
    );
    expect(JSON.stringify(events)).toContain('Hi');
    expect(JSON.stringify(events)).not.toContain('tool_calls');
  });

  it('passes in a request, and reaches no vendor', () => {
    const messages = [{ role: 'user', content: 'Hi' }, EMPTY, { role: 'user', content: 'And?' }];
    const payload = chatPayloadOf({ messages });
    const body = toRequestBody(payload, { upstream_model: 'm', reasoning: false }, SIGNATURES);
    expect(body.messages).toEqual([messages[0], { role: 'assistant', content: 'Hi' }, messages[2]]);
    expect(payload.conversation().turns[1]).toEqual({
      role: 'assistant',
      parts: [{ type: 'text', text: 'Hi' }],
    });
  });
});
