import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import {
  isJsonObject,
  type JsonObject,
  MAX_DEPTH,
  rawJson,
} from '../../../platform/core/json/lossless-json.ts';
import { chatCompletionRequest } from '../../formats/chat/schema.ts';
import { messagesRequest } from '../../formats/messages/schema.ts';
import {
  isAt,
  PLAIN,
  PROTOCOLS,
  pricedFeaturesIn,
  SAMPLES,
  samplesOf,
  TABLES,
} from '../../testing/fields/samples/all.ts';
import type { Sample } from '../../testing/fields/samples/request-sample.ts';
import type { CallerProtocol } from '../upstream/provider.ts';
import { type FieldRule, patternsOf } from './table.ts';

const bodyOf = ({ protocol, fields }: Sample): JsonObject => ({ ...PLAIN[protocol], ...fields });

/** The rules whose fields may ask for something that has a price of its own. */
const pricedRules = (protocol: CallerProtocol): readonly FieldRule[] =>
  TABLES[protocol].rules.filter((rule) => rule.needs !== undefined && samplesOf(protocol, rule).length > 0);

describe('a request that uses a priced field', () => {
  it.each(SAMPLES.map((sample) => [sample.protocol, JSON.stringify(sample.fields), sample] as const))(
    'yields the priced features that it requests: %s %s',
    (protocol, _fields, sample) => {
      expect(pricedFeaturesIn(protocol, bodyOf(sample))).toEqual(sample.features);
    },
  );
});

describe('a request without one', () => {
  it.each(PROTOCOLS)('requests no priced feature: %s', (protocol) => {
    expect(pricedFeaturesIn(protocol, PLAIN[protocol])).toEqual([]);
  });

  it.each<[CallerProtocol, JsonObject]>([
    ['openai', { service_tier: 'auto', store: false, modalities: ['text'], prediction: null, tools: null }],
    ['openai', { service_tier: 'default', modalities: 'text', web_search_options: null, audio: null }],
    [
      'openai',
      { prompt_cache_retention: 'in_memory', prompt_cache_options: { mode: 'implicit', ttl: '30m' } },
    ],
    ['openai', { prompt_cache_retention: 'in-memory', service_tier: null, n: 4, logprobs: true }],
    ['openai', { enable_search: false, search_parameters: { mode: 'off' }, plugins: [], extra_body: {} }],
    [
      'openai',
      { extra_body: { google: { thinking_config: { thinking_budget: 1 } } }, top_k: 3, unknown: {} },
    ],
    [
      'openai',
      {
        max_tokens: 16,
        thinking_budget: 0,
        n_predict: 16,
        best_of: 1,
        chat_template_kwargs: { thinking: true },
      },
    ],
    [
      'openai-responses',
      { background: false, previous_response_id: null, conversation: null, reasoning: {} },
    ],
    [
      'openai-responses',
      { tools: [{ type: 'shell', environment: { type: 'local' } }, { type: 'apply_patch' }] },
    ],
    ['anthropic', { service_tier: 'standard_only', speed: 'standard', inference_geo: 'global' }],
    ['anthropic', { inference_geo: null, speed: null, cache_control: null, mcp_servers: [], fallbacks: [] }],
    [
      'anthropic',
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
      'openai',
      {
        service_tier: 'on_demand',
        prediction: { type: 'content', content: null },
        speculation: [],
        web_search: { enable: false },
      },
    ],
    ['openai-responses', { tools: [{ type: 'tool_search', execution: 'client' }, { type: 'function' }] }],
    ['anthropic', { billing_policy: { type: 'billing_policy', bill_to: 'self' }, container: null }],
    ['anthropic', { billing_policy: { type: 'billing_policy' }, fallback_credit_token: null }],
  ])('requests no priced feature if the value is the default: %s %j', (protocol, fields) => {
    expect(pricedFeaturesIn(protocol, { ...PLAIN[protocol], ...fields })).toEqual([]);
  });
});

describe('the samples', () => {
  it.each<[CallerProtocol, string]>([
    ['openai', 'tools response_format n stop messages stream tool_choice'],
    ['openai-responses', 'tools text.format input stream tool_choice'],
    ['anthropic', 'tools output_config.format messages stream tool_choice stop_sequences system mcp_servers'],
  ])('cover every priced field of the table of %s', (protocol, otherSamples) => {
    const without = TABLES[protocol].rules.filter(
      (rule) => rule.needs !== undefined && samplesOf(protocol, rule).length === 0,
    );
    const patterns = without.flatMap(patternsOf);
    const isOther = (pattern: string) =>
      otherSamples.split(' ').some((other) => pattern === other || /^[[.]/.test(pattern.slice(other.length)));
    expect(patterns.filter((pattern) => !isOther(pattern))).toEqual([]);
  });

  it('form valid requests, except those that the service rejects for their content', () => {
    const schemas = { openai: chatCompletionRequest, anthropic: messagesRequest } as const;
    const rejected = SAMPLES.filter(
      (sample) =>
        (sample.protocol === 'openai' || sample.protocol === 'anthropic') &&
        !schemas[sample.protocol].safeParse(bodyOf(sample)).success,
    );
    expect(rejected.map(({ protocol, features: [first] }) => `${protocol} ${first?.param}`)).toEqual([
      'openai tools[0].type',
      'openai tools[1].type',
      ...['audio_url', 'video_url', 'video'].map((name) => `openai messages[0].content[1].${name}`),
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

/** The object that holds the field of a sample's feature, by the feature's path. */
function holderAt(body: JsonObject, param: string): JsonObject {
  const keys = param.split(/[.[\]]+/).filter((key) => key !== '');
  const holder = keys
    .slice(0, -1)
    .reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], body);
  return holder as JsonObject;
}

/** Elements and fields that may stand beside a priced field: none of them is one. */
const NOISE = fc.array(
  fc.oneof(
    fc.string(),
    fc.integer(),
    fc.constant(null),
    fc.dictionary(fc.stringMatching(/^x[a-z]{3,8}$/), fc.json()),
  ),
  { maxLength: 3 },
);

describe('a priced field', () => {
  const plantable = PROTOCOLS.flatMap((protocol) =>
    pricedRules(protocol).flatMap((rule) => {
      const [sample] = samplesOf(protocol, rule);
      const patterns = patternsOf(rule).filter((pattern) => !pattern.endsWith(']'));
      return sample === undefined ? [] : patterns.map((pattern) => ({ protocol, rule, pattern, sample }));
    }),
  );

  it.each(plantable.map((plant) => [plant.protocol, plant.pattern, plant] as const))(
    'yields its feature at every position of its pattern: %s %s',
    (protocol, pattern, { rule, sample }) => {
      const feature = sample.features.find(({ param }) => isAt(rule, param));
      const { [lastName(feature?.param)]: value, ...beside } = holderAt(bodyOf(sample), feature?.param ?? '');
      const name = lastName(pattern);
      // At the root the holder is the whole request, whose other fields are samples of their own.
      const holder = pattern === name ? { [name]: value } : { ...beside, [name]: value };
      fc.assert(
        fc.property(NOISE, (before) => {
          const { body, param } = planted(pattern, holder, before);
          const features = pricedFeaturesIn(protocol, { ...plainFields(sample), ...body });
          expect(features.filter((one) => one.param === param)).toEqual([{ ...feature, param }]);
        }),
        { numRuns: 20 },
      );
    },
  );

  const BLOCK = 'messages[].content[]';
  it.each([
    'system[]',
    BLOCK,
    `${BLOCK}.source.content[]`,
    `${BLOCK}.tool_changes[]`,
    'tools[]',
    `${BLOCK}.content[]`,
    `${BLOCK}.content[].content[]`,
    `${BLOCK}.content[].source.content[]`,
    `${BLOCK}.content[].content[].source.content[]`,
    `${BLOCK}.content[].tool_references[]`,
    `${BLOCK}.tool.definition`,
    `${BLOCK}.tool_changes[].tool.definition`,
  ])(
    'yields its feature at every position of the Messages protocol that supports a cache breakpoint: %s',
    (fieldPath) => {
      const holder = { cache_control: { type: 'ephemeral', ttl: '1h' } };
      const { body, param } = planted(`${fieldPath}.cache_control`, holder, []);
      expect(pricedFeaturesIn('anthropic', body)).toEqual([{ kind: 'cache-write', lifetime: '1h', param }]);
      const single = JSON.parse(JSON.stringify(body), (_key, value) =>
        Array.isArray(value) ? value[0] : value,
      );
      expect(pricedFeaturesIn('anthropic', single)).toHaveLength(1);
      const nested = JSON.parse(JSON.stringify(body), (_key, value) =>
        Array.isArray(value) ? [value] : value,
      );
      expect(pricedFeaturesIn('anthropic', nested)).toHaveLength(1);
    },
  );
});

const lastName = (path = ''): string =>
  path
    .split('.')
    .at(-1)
    ?.replaceAll(/\[\d*\]/g, '') ?? '';

/**
 * Requests of each protocol with the caller's own JSON in every position: schemas of tools and answers, inputs of
 * calls, metadata.
 */
const FREE_FORM: Readonly<Record<CallerProtocol, (own: JsonObject) => JsonObject>> = {
  openai: (own) => ({
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
  anthropic: (own) => ({
    messages: [{ role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'a', input: own }] }],
    tools: [{ name: 'a', input_schema: own, input_examples: [own] }],
    output_config: { format: { type: 'json_schema', schema: own } },
    metadata: own,
  }),
};

describe('the name of a priced field within JSON of the caller', () => {
  it.each(SAMPLES.map((sample) => [sample.protocol, JSON.stringify(sample.fields), sample] as const))(
    'requests no priced feature: %s %s',
    (protocol, _fields, sample) => {
      const own = { ...bodyOf(sample), properties: bodyOf(sample), items: [bodyOf(sample)] };
      expect(pricedFeaturesIn(protocol, FREE_FORM[protocol](own))).toEqual([]);
    },
  );
});

describe('any JSON at all', () => {
  const names = fc.constantFrom(
    ...new Set(
      PROTOCOLS.flatMap((protocol) =>
        TABLES[protocol].rules
          .flatMap(patternsOf)
          .flatMap((pattern) => pattern.split(/[.[\]*]+/).filter(Boolean)),
      ),
    ),
    '__proto__',
    'constructor',
    'toString',
    'valueOf',
    'ttl',
    'type',
    'mode',
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
    'parses without an error, and each feature has the path of an existing field: %s',
    (protocol) => {
      fc.assert(
        fc.property(fc.dictionary(names, any), (body) => {
          for (const { param } of pricedFeaturesIn(protocol, body)) expect(isThere(body, param)).toBe(true);
        }),
        { numRuns: 300 },
      );
    },
  );

  it('parses to the maximum depth of a request', () => {
    let deep: unknown = 'Hi';
    for (let depth = 0; depth < MAX_DEPTH / 2; depth += 1)
      deep = [{ type: 'tool_result', content: deep, tools: deep, source: { content: 'Hi' } }];
    for (const protocol of PROTOCOLS)
      expect(
        pricedFeaturesIn(protocol, { messages: deep, input: deep, tools: [{ type: 'new' }] }),
      ).toBeDefined();
  });
});

/** Returns whether a path leads to a value. Keys with a period or a bracket are not supported. */
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
