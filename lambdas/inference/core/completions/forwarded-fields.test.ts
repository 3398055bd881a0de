import { describe, expect, it } from '@jest/globals';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { candidateOf } from '../../testing/catalog/models.ts';
import { chatPayloadOf, messagesPayloadOf } from '../../testing/completions/payloads.ts';
import { PROVIDERS } from '../../testing/fields/needs.ts';
import { PRESETS, type PresetName } from '../catalog/dialect-presets.ts';
import { bodyFor } from '../quote.ts';
import { checkSupport, ignoredFields } from '../routing/route-support.ts';

const PRICE = { unit: 'per_million_tokens', input: 1, output: 1 };
const plain = { model: 'a/b', messages: [{ role: 'user', content: 'Hi' }], max_tokens: 8 };
const payloadOf = (fields: object) => chatPayloadOf({ ...plain, ...fields });

const candidateWith = (route: object, price: object = {}) =>
  candidateOf({ price: { ...PRICE, ...price }, routes: [{ id: 'r', ...route }] });

const sentTo = (fields: JsonObject, route: object) => {
  const payload = payloadOf(fields);
  const candidate = candidateWith(route);
  return {
    body: bodyFor(payload, [candidate.route]),
    ignored: [...ignoredFields(candidate.route, payload, { ...plain, ...fields })],
  };
};

/** Fields of hosts that lift the output above `max_tokens`, in other spellings and places too. */
const LIFTING: readonly JsonObject[] = [
  ...['n_predict', 'best_of', 'max_new_tokens', 'num_return_sequences', 'candidate_count', 'min_tokens'].map(
    (name) => ({ [name]: 30_000 }),
  ),
  ...['N_PREDICT', 'Thinking_Budget', 'maxOutputTokens', 'max_tokens ', 'n\u0000'].map((name) => ({
    [name]: 30_000,
  })),
  { use_beam_search: true },
  { ignore_eos: true },
  { options: { num_predict: 30_000 } },
  { parameters: { max_new_tokens: 30_000 } },
  { chat_template: '{{ messages }}' },
  { chat_template_kwargs: { chat_template: '{{ messages }}' } },
  { chat_template_kwargs: [{ thinking_budget: 30_000 }] },
  { 'chat_template_kwargs.thinking_budget': 30_000 },
  { extra_body: { max_tokens: 30_000 } },
  { extra_body: [{ n_predict: 30_000 }] },
  { extra_body: { google: [{ thinking_config: {} }] } },
  { extra_body: { extra_body: { google: { thinking_config: {} } } } },
  { messages: [{ role: 'user', content: 'Hi', n_predict: 30_000 }] },
];

const SEARCH = { search_parameters: { mode: 'auto' } };

describe('a field that the protocol of a request does not document', () => {
  it('reaches a route that lists it, and no other', () => {
    const fields = { top_k: 4, messages: [{ role: 'user', content: 'Hi', prefix: true }] };
    expect(sentTo(fields, {}).body).toEqual(payloadOf({}).body);
    expect(sentTo(fields, {}).ignored).toEqual(['messages[].prefix', 'top_k']);
    const passes = ['top_k', 'messages[].prefix'];
    expect(sentTo(fields, { passes })).toMatchObject({ body: fields, ignored: [] });
  });

  it('reaches a route whose dialect lists it', () => {
    const kwargs = { chat_template_kwargs: { thinking: true } };
    expect(sentTo(kwargs, { dialect: { preset: 'vllm' } })).toMatchObject({ body: kwargs, ignored: [] });
    expect(sentTo(kwargs, { dialect: { preset: 'groq' } }).ignored).toEqual([
      'chat_template_kwargs.thinking',
    ]);
  });

  it.each([undefined, ...(Object.keys(PRESETS) as PresetName[])])(
    'never reaches a route if it raises the output above its bound: preset %s',
    (preset) => {
      const { route } = candidateWith(preset === undefined ? {} : { dialect: { preset } });
      const plainBody = payloadOf({}).body;
      for (const fields of LIFTING) {
        const payload = payloadOf(fields);
        expect(bodyFor(payload, [route])).toEqual(plainBody);
        expect(ignoredFields(route, payload, { ...plain, ...fields }).size).toBe(1);
      }
    },
  );

  it.each([
    ['qwen', { thinking_budget: 38_912 }],
    ['vllm', { chat_template_kwargs: { thinking_budget: 38_912 } }],
    ['sglang', { chat_template_kwargs: { thinking_budget: 38_912 } }],
    ['nvidia', { chat_template_kwargs: { thinking_budget: 38_912 } }],
  ])(
    'causes an error on a route that lists it if it is a reasoning budget above the bound: %s',
    (preset, fields) => {
      const price = { service_tiers: { thinking: { input: 1, output: 1 } } };
      const candidate = candidateWith({ dialect: { preset } }, price);
      expect(checkSupport(candidate, payloadOf(fields), PROVIDERS)).toMatchObject({
        unmetNeed: { kind: 'unpriced', param: expect.stringMatching(/thinking_budget$/) },
      });
      const within = JSON.parse(JSON.stringify(fields).replace('38912', '8'));
      expect(checkSupport(candidate, payloadOf(within), PROVIDERS)).toHaveProperty('billableItems');
    },
  );

  it('appears among the ignored fields if it is a reasoning budget and the route’s model has no field for it', () => {
    const { ignored } = sentTo(
      { thinking_budget: 8, enable_thinking: true },
      { dialect: { preset: 'qwen', reasoning_request: 'none' } },
    );
    expect(ignored).toEqual(['enable_thinking', 'thinking_budget']);
  });

  it.each(['reasoning', 'thinking'])(
    'reaches a route of the chat protocol whose dialect writes reasoning into it: %s',
    (field) => {
      const fields = { [field]: { type: 'enabled', effort: 'low' } };
      expect(sentTo(fields, { dialect: { preset: 'groq' } })).toMatchObject({ body: fields, ignored: [] });
      expect(sentTo(fields, {}).ignored).toEqual([field]);
      expect(sentTo(fields, { protocol: 'anthropic' }).ignored).toEqual([field]);
      const budget = { protocol: 'anthropic', dialect: { reasoning_request: 'budget' } };
      expect(sentTo(fields, budget).ignored).toEqual([]);
    },
  );

  it('carries no reasoning to a route of another protocol than chat', () => {
    const payload = messagesPayloadOf({ ...plain, reasoning: { effort: 'low' } });
    const { route } = candidateWith({ protocol: 'anthropic', dialect: { reasoning_request: 'effort' } });
    expect(bodyFor(payload, [route])).not.toHaveProperty('reasoning');
  });

  it('reaches a route that caches if it is a cache breakpoint', () => {
    const cachedMessages = { cache_control: { type: 'ephemeral' } };
    expect(sentTo(cachedMessages, { capabilities: ['cache'] })).toMatchObject({
      body: cachedMessages,
      ignored: [],
    });
    expect(sentTo(cachedMessages, {}).ignored).toEqual(['cache_control']);
  });

  it('requires a price on the routes that receive it, and on no others', () => {
    const payload = payloadOf(SEARCH);
    const price = { features: { live_search: { price: 0.025, max_uses: 3 } } };
    const terms = (route: object, prices: object = {}) =>
      checkSupport(candidateWith(route, prices), payload, PROVIDERS);
    expect(terms({ dialect: { preset: 'xai' } })).toEqual({
      unmetNeed: { kind: 'server-tool', name: 'live_search', param: 'search_parameters' },
    });
    expect(terms({ dialect: { preset: 'xai' } }, price)).toMatchObject({
      billableItems: { uses: new Map([['live_search', 3]]) },
    });
    expect(terms({})).toMatchObject({ billableItems: { uses: new Map() } });
    expect(terms({ protocol: 'anthropic' })).toMatchObject({ billableItems: { uses: new Map() } });
  });

  it('never is one of the service’s own', () => {
    const routingFields = { provider: { only: ['r'] }, models: ['c/d'], session_id: 's' };
    const { body, ignored } = sentTo(routingFields, { passes: ['provider', 'models', 'session_id'] });
    expect(body).toEqual(payloadOf({}).body);
    expect(ignored).toEqual([]);
  });
});

describe('a field that a beta unlocks', () => {
  const fields = {
    context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
    tools: [{ name: 'f', input_schema: {}, defer_loading: true }],
    thinking: { type: 'adaptive', block_binding: {} },
  };
  const ignoredWith = (betas: string, route: object = {}) => {
    const request = { ...plain, ...fields };
    const payload = messagesPayloadOf(request, undefined, new Headers({ 'anthropic-beta': betas }));
    return [...ignoredFields(candidateWith({ protocol: 'anthropic', ...route }).route, payload, request)];
  };

  it('appears among the ignored fields if the route does not receive the beta', () => {
    const [first, second] = ['context-management-2025-06-27', 'advanced-tool-use-2025-11-20'];
    const third = 'thinking-binding-controls-2026-08-01';
    expect(ignoredWith('')).toEqual([
      'context_management',
      'tools[].defer_loading',
      'thinking.block_binding',
    ]);
    expect(ignoredWith(`${first},${second},${third}`)).toEqual([]);
    expect(ignoredWith(`${first},${second},${third}`, { betas: [second, third] })).toEqual([
      'context_management',
    ]);
    expect(ignoredWith(`${first},${second}`, { protocol: 'openai' })).toEqual([
      'tools[].defer_loading',
      'thinking.block_binding',
      'context_management',
      'thinking',
    ]);
  });
});
