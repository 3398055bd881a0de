import { describe, expect, it } from '@jest/globals';
import * as z from 'zod';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { CHAT_FIELDS } from '../../formats/chat/fields.ts';
import { MESSAGES_FIELDS } from '../../formats/messages/fields.ts';
import { RESPONSES_FIELDS } from '../../formats/responses/fields.ts';
import { candidateOf, modelDocument, modelsOf } from '../../testing/catalog/models.ts';
import { PLAIN_REQUEST, PROVIDERS, payloadNeeding } from '../../testing/fields/needs.ts';
import { readFields } from '../fields/read-fields.ts';
import type { CallerProtocol } from '../upstream/provider.ts';
import { chooseRoutes } from './route-choice.ts';
import { NO_CONTROLS, routeControlFields } from './route-controls.ts';
import { ignoredFields } from './route-support.ts';

const schema = z.object(routeControlFields);

const TABLES = { openai: CHAT_FIELDS, anthropic: MESSAGES_FIELDS, 'openai-responses': RESPONSES_FIELDS };

const payloadOf = (protocol: CallerProtocol, request: JsonObject) =>
  payloadNeeding([], { protocol, fields: { ...readFields(TABLES[protocol], request), needs: [] } });

const model = (id: string, price: object, routes: readonly object[] = [{ id: `at-${id}` }]) =>
  modelDocument({ id, routes, price: { unit: 'per_million_tokens', ...price } });

function chosen(
  models: readonly ReturnType<typeof model>[],
  provider: object,
  fields: object = {},
): readonly string[] {
  const candidates = chooseRoutes({
    models: modelsOf(...models),
    controls: schema.parse({ provider }).provider ?? NO_CONTROLS,
    chance: () => 0.5,
    call: PLAIN_REQUEST,
    ...fields,
  });
  return candidates.map(({ route: { id } }) => id);
}

const CHEAP = model('cheap', { input: '0.15', output: '0.6' });
const DEAR = model('dear', { input: 3, output: 15 });

describe('max_price', () => {
  it.each([
    [{ prompt: '0.15', completion: '0.6' }, ['at-cheap']],
    [{ prompt: 0.15 }, ['at-cheap']],
    [{ completion: 15 }, ['at-dear', 'at-cheap']],
    [{ prompt: 3, completion: '14.999999999' }, ['at-cheap']],
    [{}, ['at-dear', 'at-cheap']],
  ])('leaves the models that cost no more: %j', (max_price, expected) => {
    expect(chosen([DEAR, CHEAP], { max_price })).toEqual(expected);
  });

  it('applies to the most expensive tier and to reasoning, because a call may be charged by them', () => {
    const tiered = model('tiered', { input: 1, output: 2, tiers: [{ above: 1_000, input: 2, output: 4 }] });
    expect(chosen([tiered, CHEAP], { max_price: { prompt: 1 } })).toEqual(['at-cheap']);
    const thinking = model('thinking', { input: 1, output: 2, reasoning_output: 5 });
    expect(chosen([thinking, CHEAP], { max_price: { completion: 2 } })).toEqual(['at-cheap']);
  });

  it('returns an error with its name if no model satisfies it', () => {
    expect(() => chosen([DEAR], { max_price: { prompt: '0.000000001' } })).toThrow(
      expect.objectContaining({
        code: 'invalid_value',
        param: 'provider.max_price',
        message: 'provider.max_price: dear costs more a million tokens.',
      }),
    );
  });

  it.each([
    { prompt: '1e' },
    { prompt: -1 },
    { prompt: '0.0000000001' },
    { image: 1 },
    { request: 1 },
    { prompt: [] },
  ])('fails validation if it is no amount, or limits another price: %j', (max_price) => {
    expect(schema.safeParse({ provider: { max_price } }).success).toBe(false);
  });
});

describe('sort', () => {
  it('puts the cheapest model first for a sort by price, whatever the order of names', () => {
    expect(chosen([DEAR, CHEAP], { sort: 'price' })).toEqual(['at-cheap', 'at-dear']);
    expect(chosen([DEAR, CHEAP], {})).toEqual(['at-dear', 'at-cheap']);
  });

  it.each(['latency', 'throughput'])('rejects a criterion that is not measured: %s', (sort) => {
    expect(schema.safeParse({ provider: { sort } }).success).toBe(false);
  });
});

describe('require_parameters', () => {
  const mixed = model('a/b', { input: 1, output: 1 }, [
    { id: 'converse', protocol: 'bedrock', base_url: undefined, priority: 0 },
    { id: 'thinker', reasoning: true, priority: 1 },
    { id: 'serial', dialect: { parallel_tool_calls: false }, priority: 2 },
    { id: 'own', priority: 3 },
  ]);
  const requestWith = (fields: JsonObject, protocol: CallerProtocol = 'openai') => ({
    call: { payload: payloadOf(protocol, fields), providers: PROVIDERS, request: fields },
  });

  it.each([
    [{ messages: [], max_tokens: 5, stop: 'x', seed: null }, ['converse', 'thinker', 'serial', 'own']],
    [{ messages: [], temperature: 0 }, ['converse', 'serial', 'own']],
    [{ messages: [], seed: 1 }, ['thinker', 'serial', 'own']],
    [{ messages: [], parallel_tool_calls: false }, ['converse', 'thinker', 'own']],
    [{ messages: [], logit_bias: {}, temperature: 1, parallel_tool_calls: true }, ['own']],
  ])('selects the routes that support every field: %j', (fields, expected) => {
    expect(chosen([mixed], { require_parameters: true }, requestWith(fields))).toEqual(expected);
    expect(chosen([mixed], {}, requestWith(fields))).toEqual(['converse', 'thinker', 'serial', 'own']);
  });

  it('returns an error with the fields if no route meets it', () => {
    const [only] = mixed.routes;
    const converse = model('a/b', { input: 1, output: 1 }, [only ?? {}]);
    expect(() =>
      chosen(
        [converse],
        { require_parameters: true },
        requestWith({ messages: [], seed: 1, logprobs: true }),
      ),
    ).toThrow(
      expect.objectContaining({
        code: 'unsupported_by_model',
        param: 'provider.require_parameters',
        message: expect.stringContaining('left out would be seed, logprobs.'),
      }),
    );
  });

  it.each<[CallerProtocol, string, string]>([
    ['openai', 'top_k', 'max_completion_tokens'],
    ['anthropic', 'top_k', 'stop_sequences'],
    ['openai-responses', 'truncation', 'instructions'],
  ])('recognizes what a conversation of %s cannot contain: %s, not %s', (protocol, lostFields, hasRollup) => {
    const { route } = candidateOf(mixed);
    const request = { [lostFields]: 1, [hasRollup]: 1 };
    expect([...ignoredFields(route, payloadOf(protocol, request), request)]).toEqual([lostFields]);
  });

  const picture = (detail: string): JsonObject => ({
    prompt_cache_key: 'k',
    safety_identifier: 's',
    messages: [
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url: 'https://example.com/a.png', detail } }],
      },
    ],
  });
  const inputPicture = (detail: string): JsonObject => ({
    input: [
      { role: 'user', content: [{ type: 'input_image', image_url: 'https://example.com/a.png', detail }] },
    ],
  });
  it.each<[CallerProtocol, JsonObject, string, readonly string[]]>([
    ['openai', picture('low'), 'openai-responses', []],
    ['openai', picture('low'), 'anthropic', ['prompt_cache_key', 'messages[].content[].image_url.detail']],
    ['openai', picture('auto'), 'bedrock', ['prompt_cache_key']],
    ['openai-responses', inputPicture('low'), 'openai', []],
    ['openai-responses', inputPicture('low'), 'gemini', ['input[].content[].detail']],
    ['openai-responses', inputPicture('auto'), 'gemini', []],
  ])(
    'recognizes what only OpenAI’s protocols have: %s %j, on %s',
    (caller, request, protocol, lostFields) => {
      const { route } = candidateOf({ routes: [{ protocol }] });
      expect([...ignoredFields(route, payloadOf(caller, request), request)]).toEqual(lostFields);
    },
  );

  const effort = { reasoning: { effort: 'high' } };
  it.each<[CallerProtocol, JsonObject, string, object | undefined, readonly string[]]>([
    ['openai-responses', effort, 'anthropic', undefined, ['reasoning']],
    ['openai-responses', effort, 'bedrock', undefined, ['reasoning']],
    ['openai', { reasoning_effort: 'high' }, 'gemini', undefined, ['reasoning_effort']],
    ['openai-responses', effort, 'anthropic', { reasoning_request: 'budget' }, []],
    ['openai', { reasoning_effort: 'high' }, 'openai-responses', undefined, []],
    ['anthropic', { thinking: { type: 'enabled' } }, 'anthropic', undefined, []],
  ])(
    'recognizes a request for reasoning that a route has no field for: %s %j, on %s with %j',
    (caller, request, protocol, dialect, lostFields) => {
      const { route } = candidateOf({ routes: [{ protocol, dialect }] });
      expect([...ignoredFields(route, payloadOf(caller, request), request)]).toEqual(lostFields);
    },
  );

  const strictChat = { tools: [{ type: 'function', function: { name: 'f', strict: true } }] };
  const strictTool = { tools: [{ name: 'f', strict: true }] };
  const oneCall = { tool_choice: { type: 'auto', disable_parallel_tool_use: true } };
  it.each<[CallerProtocol, JsonObject, object, readonly string[]]>([
    ['openai', strictChat, { strict_tools: false }, ['tools.strict']],
    ['anthropic', strictTool, { strict_tools: false }, ['tools.strict']],
    ['openai-responses', strictTool, { strict_tools: false }, ['tools.strict']],
    ['openai', { tools: [{ function: { strict: false } }] }, { strict_tools: false }, []],
    ['openai', strictChat, {}, []],
    ['openai', { parallel_tool_calls: false }, { parallel_tool_calls: false }, ['parallel_tool_calls']],
    ['anthropic', oneCall, { parallel_tool_calls: false }, ['tool_choice.disable_parallel_tool_use']],
    ['anthropic', oneCall, {}, []],
    ['openai', { reasoning_effort: 'high' }, { reasoning_request: 'none' }, ['reasoning_effort']],
    ['openai', { reasoning_effort: 'high' }, {}, []],
    ['anthropic', { thinking: { type: 'enabled' } }, {}, ['thinking']],
    ['openai-responses', { reasoning: { effort: 'high' } }, { reasoning_request: 'effort' }, []],
    ['openai', { store: false, stream_options: {} }, { store: false, stream_options: false }, []],
  ])('recognizes the fields that a dialect drops: %s %j, %j', (protocol, request, dialect, lostFields) => {
    const { route } = candidateOf({ routes: [{ dialect }] });
    expect([...ignoredFields(route, payloadOf(protocol, request), request)]).toEqual(lostFields);
  });
});
