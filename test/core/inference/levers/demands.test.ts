import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { chatCompletionRequest } from '../../../../lambdas/core/inference/completions/chat/schema.ts';
import { messagesRequest } from '../../../../lambdas/core/inference/completions/messages/schema.ts';
import { demandsOf, leverTable, patternsOf } from '../../../../lambdas/core/inference/levers/table.ts';
import { isJsonObject, type JsonObject, rawJson } from '../../../../lambdas/core/json/lossless-json.ts';
import { it } from '../../../search.ts';
import { asksBy, PLAIN, SAMPLES, samplesOf } from './samples/all.ts';
import type { Sample } from './samples/request-sample.ts';
import type { Protocol } from './schemas/published.ts';
import { PROTOCOLS, TABLES } from './tables.ts';

const bodyOf = ({ protocol, fields }: Sample): JsonObject => ({ ...PLAIN[protocol], ...fields });

const asks = (protocol: Protocol, body: JsonObject) => demandsOf(TABLES[protocol], body);

describe('a request that uses a lever', () => {
  it.each(SAMPLES.map((sample) => [sample.protocol, JSON.stringify(sample.fields), sample] as const))(
    'is read as what it asks for: %s %s',
    (protocol, _fields, sample) => {
      expect(asks(protocol, bodyOf(sample))).toEqual(sample.demands);
    },
  );
});

describe('a request without one', () => {
  it.each(PROTOCOLS)('asks for nothing: %s', (protocol) => {
    expect(asks(protocol, PLAIN[protocol])).toEqual([]);
  });

  it.each<[Protocol, JsonObject]>([
    [
      'openai-chat',
      { service_tier: 'auto', store: false, modalities: ['text'], prediction: null, tools: null },
    ],
    ['openai-chat', { service_tier: 'default', modalities: 'text', web_search_options: null, audio: null }],
    [
      'openai-chat',
      { prompt_cache_retention: 'in_memory', prompt_cache_options: { mode: 'implicit', ttl: '30m' } },
    ],
    ['openai-chat', { prompt_cache_retention: 'in-memory', service_tier: null, n: 4, logprobs: true }],
    [
      'openai-chat',
      { enable_search: false, search_parameters: { mode: 'off' }, plugins: [], extra_body: {} },
    ],
    [
      'openai-chat',
      { extra_body: { google: { thinking_config: { thinking_budget: 1 } } }, top_k: 3, unknown: {} },
    ],
    [
      'openai-responses',
      { background: false, previous_response_id: null, conversation: null, reasoning: {} },
    ],
    [
      'openai-responses',
      { tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }] },
    ],
    ['anthropic-messages', { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' }],
    [
      'anthropic-messages',
      { inference_geo: null, speed: null, cache_control: null, mcp_servers: [], fallbacks: [] },
    ],
    [
      'anthropic-messages',
      {
        tools: [
          { name: 'a', input_schema: {} },
          { type: 'custom', name: 'b', input_schema: {} },
          { type: 'bash_20250124', name: 'bash' },
          { type: 'text_editor_20991231', name: 'edit' },
          { type: 'computer_toolset_20260801' },
        ],
        context_management: { edits: [{ type: 'clear_thinking_20251015' }] },
      },
    ],
    [
      'openai-chat',
      {
        service_tier: 'on_demand',
        prediction: { type: 'content', content: null },
        speculation: [],
        web_search: { enable: false },
      },
    ],
    ['openai-responses', { tools: [{ type: 'tool_search', execution: 'client' }, { type: 'function' }] }],
    ['anthropic-messages', { billing_policy: { type: 'billing_policy', bill_to: 'self' }, container: null }],
    ['anthropic-messages', { billing_policy: { type: 'billing_policy' }, fallback_credit_token: null }],
    ['bedrock-converse', { serviceTier: { type: 'default' }, performanceConfig: { latency: 'standard' } }],
    [
      'gemini',
      {
        serviceTier: 'standard',
        generationConfig: { responseModalities: ['TEXT'] },
        tools: [{ computerUse: {} }],
      },
    ],
    ['gemini', { contents: [{ parts: [{ inlineData: { mimeType: 'image/png', data: 'QUJD' } }] }] }],
  ])('asks for nothing by a value that is the standard: %s %j', (protocol, fields) => {
    expect(asks(protocol, { ...PLAIN[protocol], ...fields })).toEqual([]);
  });
});

describe('the samples', () => {
  it.each(PROTOCOLS)('have every lever of the table of %s', (protocol) => {
    const without = TABLES[protocol].levers.filter((lever) => samplesOf(protocol, lever).length === 0);
    expect(without.map(({ field }) => field)).toEqual([]);
  });

  it('are requests that the service takes, but for those it refuses for what they hold', () => {
    const schemas = { 'openai-chat': chatCompletionRequest, 'anthropic-messages': messagesRequest } as const;
    const refused = SAMPLES.filter(
      (sample) =>
        (sample.protocol === 'openai-chat' || sample.protocol === 'anthropic-messages') &&
        !schemas[sample.protocol].safeParse(bodyOf(sample)).success,
    );
    expect(refused.map(({ protocol, demands: [first] }) => `${protocol} ${first?.param}`)).toEqual([
      ...['openai-chat tools[0].type', 'openai-chat tools[1].type'],
      ...['audio_url', 'video_url', 'video'].map((name) => `openai-chat messages[0].content[1].${name}`),
    ]);
  });
});

/** A value at the end of a pattern, with other elements before it in each array on the way. */
function planted(
  pattern: string,
  holder: JsonObject,
  before: readonly unknown[],
): { body: JsonObject; param: string } {
  const steps = pattern.split('.');
  const path: string[] = [];
  let value: unknown = holder;
  for (const step of steps.toReversed().slice(1)) {
    const name = step.replaceAll('[]', '');
    const depth = (step.length - name.length) / 2;
    for (let level = 0; level < depth; level += 1) value = [...before, value];
    value = { [name]: value };
    path.unshift(`${name}${`[${before.length}]`.repeat(depth)}`);
  }
  return { body: value as JsonObject, param: [...path, steps.at(-1)].join('.') };
}

/** Fields of a sample's request that bound all of it. */
const plainFields = ({ fields }: Sample): JsonObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => typeof value === 'number'));

/** The object that holds the field of a sample's demand, by the demand's path. */
function holderAt(body: JsonObject, param: string): JsonObject {
  const keys = param.split(/[.[\]]+/).filter((key) => key !== '');
  const holder = keys
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], body);
  return holder as JsonObject;
}

/** Elements and fields that may stand beside a lever: none of them is one. */
const NOISE = fc.array(
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.dictionary(fc.stringMatching(/^x[a-z]{3,8}$/), fc.json()),
  ),
  { maxLength: 3 },
);

describe('a lever', () => {
  const plantable = PROTOCOLS.flatMap((protocol) =>
    TABLES[protocol].levers.flatMap((lever) => {
      const [sample] = samplesOf(protocol, lever);
      const patterns = patternsOf(lever).filter((pattern) => !/[*\]]$/.test(pattern));
      return sample === undefined ? [] : patterns.map((pattern) => ({ protocol, lever, pattern, sample }));
    }),
  );

  it.each(plantable.map((plant) => [plant.protocol, plant.pattern, plant] as const))(
    'is found wherever its pattern leads: %s %s',
    (protocol, pattern, { lever, sample }) => {
      const demand = sample.demands.find(({ param }) => asksBy(lever, param));
      const name = pattern.split('.').at(-1) ?? '';
      const { [name]: value, ...beside } = holderAt(bodyOf(sample), demand?.param ?? '');
      // At the root the holder is the whole request, whose other levers are samples of their own.
      const holder = pattern === name ? { [name]: value } : { ...beside, [name]: value };
      fc.assert(
        fc.property(NOISE, (before) => {
          const { body, param } = planted(pattern, holder, before);
          const found = asks(protocol, { ...plainFields(sample), ...body }).filter(
            (one) => one.param === param,
          );
          expect(found).toEqual([{ ...demand, param }]);
        }),
        { numRuns: 20 },
      );
    },
  );
});

/** Where each protocol has JSON of the caller's own: schemas of tools and answers, inputs of calls, metadata. */
const FREE_FORM: Readonly<Record<Protocol, (own: JsonObject) => JsonObject>> = {
  'openai-chat': (own) => ({
    messages: [
      { role: 'assistant', tool_calls: [{ function: { name: 'a', arguments: JSON.stringify(own) } }] },
    ],
    tools: [{ type: 'function', function: { name: 'a', parameters: own } }],
    response_format: { type: 'json_schema', json_schema: { name: 'a', schema: own } },
    metadata: own,
    logit_bias: own,
  }),
  'openai-responses': (own) => ({
    input: [{ type: 'function_call', arguments: JSON.stringify(own) }],
    tools: [{ type: 'function', name: 'a', parameters: own }],
    text: { format: { type: 'json_schema', name: 'a', schema: own } },
    metadata: own,
  }),
  'anthropic-messages': (own) => ({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'a', input: own }] }],
    tools: [{ name: 'a', input_schema: own, input_examples: [own] }],
    output_config: { format: { type: 'json_schema', schema: own } },
    metadata: own,
  }),
  'bedrock-converse': (own) => ({
    messages: [
      { role: 'assistant', content: [{ toolUse: { name: 'a', input: own } }] },
      { role: 'user', content: [{ toolResult: { content: [{ json: own }] } }] },
    ],
    toolConfig: { tools: [{ toolSpec: { name: 'a', inputSchema: { json: own } } }] },
    requestMetadata: own,
  }),
  gemini: (own) => ({
    contents: [
      { parts: [{ functionCall: { args: own } }, { functionResponse: { name: 'a', response: own } }] },
    ],
    tools: [{ functionDeclarations: [{ name: 'a', parameters: own, parametersJsonSchema: own }] }],
    generationConfig: { responseSchema: own, responseJsonSchema: own },
    labels: own,
  }),
};

describe('the name of a lever within JSON of the caller', () => {
  it.each(SAMPLES.map((sample) => [sample.protocol, JSON.stringify(sample.fields), sample] as const))(
    'is no lever: %s %s',
    (protocol, _fields, sample) => {
      const own = { ...bodyOf(sample), properties: bodyOf(sample), items: [bodyOf(sample)] };
      expect(asks(protocol, FREE_FORM[protocol](own))).toEqual([]);
    },
  );
});

describe('any JSON at all', () => {
  const names = fc.constantFrom(
    ...new Set(
      PROTOCOLS.flatMap((protocol) =>
        TABLES[protocol].levers
          .flatMap(patternsOf)
          .flatMap((pattern) => pattern.split(/[.[\]*]+/).filter(Boolean)),
      ),
    ),
    ...['__proto__', 'constructor', 'toString', 'valueOf', 'ttl', 'type', 'mode'],
  );
  const { value: any } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      fc.constantFrom<unknown>(
        null,
        true,
        false,
        0,
        -1,
        1.5,
        '',
        'auto',
        'audio',
        'ephemeral',
        rawJson('12345678901234567890'),
      ),
      fc.string(),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(names, tie('value'), { maxKeys: 6 }),
    ),
  }));

  it.each(PROTOCOLS)(
    'is read without an error, each demand with the path of a field that is there: %s',
    (protocol) => {
      fc.assert(
        fc.property(fc.dictionary(names, any), (body) => {
          for (const { param } of asks(protocol, body)) expect(isThere(body, param)).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('is read no deeper than the patterns go', () => {
    let deep: unknown = 'Hi';
    for (let depth = 0; depth < 20_000; depth += 1) deep = [{ content: deep, tools: deep, messages: deep }];
    for (const protocol of PROTOCOLS)
      expect(asks(protocol, { messages: deep, tools: [{ type: deep }] })).toBeDefined();
  });
});

/** Whether a path leads to a value; keys are none of those that hold a point or a bracket. */
function isThere(body: JsonObject, param: string): boolean {
  const keys = param.split(/[.[\]]+/).filter((key) => key !== '');
  const value = keys.reduce<unknown>(
    (inner, key) =>
      (isJsonObject(inner) || Array.isArray(inner)) && Object.hasOwn(inner, key)
        ? (inner as Record<string, unknown>)[key]
        : undefined,
    body,
  );
  return value !== undefined && value !== null;
}

describe('a table', () => {
  const unpriced = leverTable([
    { field: 'a[].*', except: ['free'], read: (_value, { param }) => [{ kind: 'unpriced', param }] },
    { field: 'a[].known', read: () => [] },
  ]);

  it('reads by `*` every field that no pattern names and that is not excepted', () => {
    const body = {
      a: [{ free: 1, known: 1, other: 1, none: null }, 'text', { ['x'.repeat(80)]: 1 }],
      b: { other: 1 },
    };
    expect(demandsOf(unpriced, body).map(({ param }) => param)).toEqual([
      'a[0].other',
      `a[2].${'x'.repeat(64)}`,
    ]);
  });

  it('has no pattern that goes on after `*`', () => {
    expect(() => leverTable([{ field: 'a.*.b', read: () => [] }])).toThrow('a.*.b goes on after *');
  });
});
