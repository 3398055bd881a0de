import { existsSync, mkdtempSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { growthOf, MAX_RATIO } from '../../tools/test-kit/growth.ts';
import { COMMANDS } from '../commands/commands.ts';
import { KINDS_OF_CONTENT } from './sources/field-names.ts';

const folder = mkdtempSync(join(tmpdir(), 'catalog-import-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** The time at which the copies of the lists were made. */
const COPIED = new Date('2026-11-01T12:00:00Z');

const file = (name: string) => join(folder, name);

/** A document of models.dev's format with one provider, written as text, so that numbers stay as they are here. */
function modelsDev(provider: string, models: Readonly<Record<string, string>>): string {
  const entries = Object.entries(models).map(([id, rest]) => `"${id}": {"id": "${id}", ${rest}}`);
  const path = file(`models-dev-${provider}.json`);
  writeFileSync(path, `{"${provider}": {"id": "${provider}", "models": {${entries.join(',')}}}}`);
  utimesSync(path, COPIED, COPIED);
  return `models.dev=${path}`;
}

function litellm(models: Readonly<Record<string, string>>): string {
  const entries = Object.entries(models).map(([id, rest]) => `"${id}": {${rest}}`);
  const path = file('litellm.json');
  writeFileSync(path, `{${['"sample_spec": {"input_cost_per_token": 0.0}', ...entries].join(',')}}`);
  return `litellm=${path}`;
}

interface Written {
  readonly id: string;
  readonly price: Readonly<Record<string, unknown>>;
  readonly max_image_tokens?: number;
  readonly max_output_tokens?: number;
  readonly clamp_max_tokens?: boolean;
  readonly routes: readonly Readonly<Record<string, unknown>>[];
}

interface PrintedImport {
  readonly counts: { readonly models: number; readonly left_out: number };
  readonly file: string | null;
  readonly advice?: string;
  readonly left_out: readonly { model: string; reason: string; figures: Record<string, unknown> }[];
  readonly left_prices: readonly { model: string; reason: string; prices: Record<string, unknown> }[];
}

function run(...args: readonly string[]) {
  const out = file('out.json');
  rmSync(out, { force: true });
  const outcome = COMMANDS['catalog import']?.alone?.([...args, '--out', out]);
  if (outcome === undefined || outcome instanceof Promise) throw new Error('catalog import needs a service');
  const printed = outcome.output as unknown as PrintedImport;
  const models: readonly Written[] = existsSync(out)
    ? (JSON.parse(readFileSync(out, 'utf8')) as { models: readonly Written[] }).models
    : [];
  if (models.length > 0) parseCatalog({ models });
  return { exitCode: outcome.exitCode, ...printed, models };
}

const LIMITS = `"limit": {"context": 1050000, "output": 128000}, "${KINDS_OF_CONTENT}": {"input": ["text", "image"], "output": ["text"]}`;
const about = (cost: string) => `"name": "A model", "tool_call": true, ${LIMITS}, "cost": {${cost}}`;

/** Claude Sonnet 4.6 by its price page: $3, writes 1.25x, reads 0.1x, output $15. */
const SONNET = '"input": 3, "output": 15, "cache_read": 0.3, "cache_write": 3.75';

/** The same as LiteLLM has it, with the prices of an hour and of searches. */
const SONNET_RATES =
  '"litellm_provider": "anthropic", "mode": "chat", "input_cost_per_token": 3e-06, "output_cost_per_token": 1.5e-05, "cache_read_input_token_cost": 3e-07, "cache_creation_input_token_cost": 3.75e-06, "cache_creation_input_token_cost_above_1hr": 6e-06, "search_context_cost_per_query": {"search_context_size_low": 0.01, "search_context_size_high": 0.01}';

const EMPTY = () => ['--from', litellm({})];

/** Imports models of one provider from models.dev alone, at this markup. */
const importFrom = (
  provider: string,
  models: Readonly<Record<string, string>>,
  markup: string,
  ...options: readonly string[]
) => run('--from', modelsDev(provider, models), '--providers', provider, '--markup', markup, ...options);

/** Imports Claude Sonnet 4.6 with this cost in models.dev, and with its rates in LiteLLM. */
function importSonnet(cost: string, markup: string, ...options: readonly string[]) {
  const models = { 'claude-sonnet-4-6': about(cost) };
  const other = ['--only', 'claude-sonnet-4-6', '--from', litellm({ 'claude-sonnet-4-6': SONNET_RATES })];
  return importFrom('anthropic', models, markup, ...other, ...options);
}

describe('catalog import', () => {
  it('writes the provider’s price as the cost, and that price with the markup as the price, if two sources agree', () => {
    const { models, exitCode, counts, left_prices } = importSonnet(SONNET, '5%');
    expect([exitCode, counts.models]).toEqual([0, 1]);
    expect(models[0]).toMatchObject({
      id: 'anthropic/claude-sonnet-4-6',
      type: 'chat',
      context_window: 1050000,
      max_output_tokens: 128000,
      aliases: ['claude-sonnet-4-6'],
      price_source: { url: 'https://models.dev/api.json', as_of: '2026-11-01' },
      price: {
        unit: 'per_million_tokens',
        input: '3.15',
        cached_input: '0.315',
        cache_writes: { '5m': '3.9375' },
        output: '15.75',
      },
    });
    expect(models[0]?.routes).toEqual([
      {
        id: 'anthropic/claude-sonnet-4-6',
        protocol: 'anthropic',
        base_url: 'https://api.anthropic.com/v1',
        upstream_model: 'claude-sonnet-4-6',
        cost: {
          unit: 'per_million_tokens',
          input: '3',
          cached_input: '0.3',
          cache_writes: { '5m': '3.75' },
          output: '15',
        },
        secret: 'env:ANTHROPIC_API_KEY',
        capabilities: ['stream', 'tools', 'vision', 'cache'],
      },
    ]);
    // models.dev has no place for them: calls that ask for them are refused.
    expect(left_prices).toEqual([
      {
        model: 'anthropic/claude-sonnet-4-6',
        reason: 'only one source has it',
        prices: { 'cache_writes.1h': '6', 'features.web_search.price': '0.01' },
      },
    ]);
  });

  it.each([
    ['Claude on Bedrock', 'amazon-bedrock', 'us.anthropic.claude-sonnet-4-6', SONNET, true],
    ['Nova with that price', 'amazon-bedrock', 'amazon.nova-pro-v1:0', SONNET, true],
    ['Nova without it', 'amazon-bedrock', 'amazon.nova-pro-v1:0', '"input": 3, "output": 15', false],
    ['another model on Bedrock', 'amazon-bedrock', 'vendor.model-v1', SONNET, false],
    ['Claude by another protocol', 'openrouter', 'claude-sonnet-4-6', SONNET, false],
  ])(
    'sets the cache capability if the model caches breakpoints of callers and writes have a price: %s',
    (_name, provider, id, cost, isCached) => {
      const { models } = importFrom(provider, { [id]: about(cost) }, '0%', '--unconfirmed');
      expect(models[0]?.routes[0]?.capabilities).toEqual([
        'stream',
        'tools',
        'vision',
        ...(isCached ? ['cache'] : []),
      ]);
    },
  );

  it.each([
    ['openai', 'gpt-4o-mini', 48_169],
    ['openai', 'gpt-4o', 1_445],
    ['openai', 'gpt-5-nano', 3_779],
    ['openai', 'o3', 1_275],
    ['anthropic', 'claude-sonnet-4-6', 1_568],
    ['anthropic', 'claude-sonnet-4-20250514', 1_568],
    ['anthropic', 'claude-opus-4-7', undefined],
    ['google', 'gemini-2.5-pro', 2_322],
    ['openai', 'gpt-7', undefined],
  ])(
    'sets the maximum tokens of an image if that of the model is known: %s %s',
    (provider, id, maxImageTokens) => {
      const { models } = importFrom(provider, { [id]: about(SONNET) }, '0%', '--unconfirmed');
      expect(models).toHaveLength(1);
      expect(models[0]?.max_image_tokens).toBe(maxImageTokens);
    },
  );

  it('imports prices of one hour and of searches, which one list alone can state, if requested', () => {
    const { models } = importSonnet(SONNET, '0%', '--unconfirmed', '--secrets', 'prod');
    expect(models[0]?.price).toMatchObject({
      cache_writes: { '5m': '3.75', '1h': '6' },
      features: { web_search: { price: '0.01' } },
    });
    expect(models[0]?.routes[0]).toMatchObject({ secret: 'secretsmanager:prod/providers/anthropic#key' });
  });

  it('counts a model once if a list contains it twice', () => {
    const twice = modelsDev('openai', { one: about('"input": 1, "output": 2') });
    const path = twice.slice('models.dev='.length);
    writeFileSync(
      path,
      readFileSync(path, 'utf8').replace(
        '"one": {',
        '"two": {"id": "one", "cost": {"input": 1, "output": 2}}, "one": {',
      ),
    );
    const { left_out } = run('--from', twice, '--providers', 'openai', '--markup', '0%');
    expect(left_out.map(({ reason }) => reason)).toEqual(['only models.dev has it']);
  });

  it('rounds a price up to nine places, and leaves the cost exact', () => {
    const model = about('"input": 0.000000001, "output": 0.1');
    const { models } = importFrom('openai', { model }, '7.5%', '--unconfirmed');
    expect(models[0]?.price).toMatchObject({ input: '0.000000002', output: '0.1075' });
    expect(models[0]?.routes[0]?.cost).toMatchObject({ input: '0.000000001', output: '0.1' });
  });

  it.each([
    [
      'another price of output',
      SONNET.replace('15', '15.5'),
      'the sources differ',
      { output: { 'models.dev': '15.5', litellm: '15' } },
    ],
    [
      'no price of cached input',
      SONNET.replace('"cache_read": 0.3, ', ''),
      'only one source has this price',
      { cached_input: { 'models.dev': null, litellm: '0.3' } },
    ],
    [
      'a tier that the other has not',
      `${SONNET}, "tiers": [{"tier": {"size": 200000}, "input": 6, "output": 22.5, "cache_read": 0.6, "cache_write": 7.5}]`,
      'only one source has this tier',
      { 'tiers.200000.input': { 'models.dev': '6', litellm: null } },
    ],
    [
      'an amount of too many places',
      SONNET.replace('15', '15.0000000001'),
      'models.dev: output 15.0000000001 is not an amount',
      {},
    ],
    [
      'a tier without all its rates',
      `${SONNET}, "tiers": [{"tier": {"size": 200000}, "input": 6}]`,
      'models.dev: its tier above 200000 has no output',
      {},
    ],
    ['no price at all', '', 'models.dev: it has no price', {}],
  ])('leaves out and lists a model with %s', (_what, cost, reason, figures) => {
    const { models, left_out, exitCode } = importSonnet(cost, '5%');
    expect([models, exitCode]).toEqual([[], 1]);
    expect(left_out).toHaveLength(1);
    expect(left_out[0]).toMatchObject({ model: 'anthropic/claude-sonnet-4-6', figures });
    expect(left_out[0]?.reason.slice(0, reason.length)).toBe(reason);
  });

  it.each([
    ['zero', '"input": 0, "output": 0', 'its price input is zero'],
    ['missing for output', '"input": 1', 'it has no price of output'],
    [
      'missing for cache writes',
      '"input": 3, "output": 15, "cache_read": 0.3',
      'it has a price of cached input and none of cache writes',
    ],
  ])('rejects a price that is %s, whatever is confirmed', (_what, cost, reason) => {
    const { left_out } = importFrom('anthropic', { 'claude-x': about(cost) }, '5%', '--unconfirmed');
    expect(left_out).toEqual([expect.objectContaining({ model: 'anthropic/claude-x', reason })]);
  });

  it.each([
    ['models.dev marks as deprecated', '"status": "deprecated",', '', 'models.dev: it is deprecated'],
    [
      'has ended by LiteLLM',
      '"status": "beta",',
      '"deprecation_date": "2024-01-04",',
      'litellm: it has ended on 2024-01-04',
    ],
  ])('omits a model that %s, whatever the operator confirms', (_what, inFirst, inSecond, reason) => {
    const models = { 'gpt-x': `${inFirst} ${about('"input": 1, "output": 2')}` };
    const rates = `${inSecond} "litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06`;
    const from = ['--from', litellm({ 'gpt-x': rates }), '--unconfirmed'];
    const { left_out } = importFrom('openai', models, '0%', ...from);
    expect(left_out).toEqual([expect.objectContaining({ model: 'openai/gpt-x', reason })]);
  });

  it('accepts models of a single source if requested, and otherwise lists them', () => {
    const models = { one: about('"input": 1, "output": 2') };
    const listed = importFrom('openai', models, '0%');
    expect(listed.left_out).toEqual([
      {
        model: 'openai/one',
        reason: 'only models.dev has it',
        figures: { input: { 'models.dev': '1' }, output: { 'models.dev': '2' } },
      },
    ]);
    expect([listed.exitCode, listed.file]).toEqual([1, null]);
    expect(listed.advice).toBe('two sources must agree: add --from litellm=FILE, or --unconfirmed');
    expect(importFrom('openai', models, '0%', '--unconfirmed').models).toHaveLength(1);
  });

  it('imports a service tier if two sources have it with all rates of the model', () => {
    const modes = `${about('"input": 1, "output": 2')}, "experimental": {"modes": {"fast": {"cost": {"input": 2, "output": 4}, "provider": {"body": {"service_tier": "priority"}}}}}`;
    const rates = (priority: string) =>
      litellm({
        'gpt-x': `"litellm_provider": "openai", "mode": "chat", "input_cost_per_token": 1e-06, "output_cost_per_token": 2e-06, "input_cost_per_token_priority": 2e-06${priority}`,
      });
    const imported = (priority: string) =>
      importFrom('openai', { 'gpt-x': modes }, '10%', '--from', rates(priority));
    expect(imported(', "output_cost_per_token_priority": 4e-06').models[0]?.price).toMatchObject({
      service_tiers: { priority: { input: '2.2', output: '4.4' } },
    });
    const partial = imported('');
    expect(partial.models[0]?.price).not.toHaveProperty('service_tiers');
    expect(partial.left_prices.map(({ reason }) => reason)).toEqual([
      'only one source has it',
      'service tier priority has not all rates and tiers of the model',
    ]);
  });

  it('reads tiers of LiteLLM, and those that models.dev had in one field', () => {
    const rates =
      '"litellm_provider": "xai", "mode": "chat", "input_cost_per_token": 2e-06, "output_cost_per_token": 6e-06, "input_cost_per_token_above_200k_tokens": 4e-06, "output_cost_per_token_above_200k_tokens": 1.2e-05';
    const cost = '"input": 2, "output": 6, "context_over_200k": {"input": 4, "output": 12}';
    const from = ['--from', litellm({ 'xai/grok-x': rates })];
    const { models, left_out } = importFrom('xai', { 'grok-x': about(cost) }, '0%', ...from);
    expect(left_out).toEqual([]);
    expect(models[0]?.price).toEqual({
      unit: 'per_million_tokens',
      input: '2',
      output: '6',
      tiers: [{ above: 200_000, input: '4', output: '12' }],
    });
  });

  it('omits a price of LiteLLM that the catalog cannot express', () => {
    const rates =
      '"litellm_provider": "xai", "mode": "chat", "input_cost_per_token": 2e-06, "output_cost_per_token": 6e-06, "input_cost_per_request_of_its_own": 1';
    const from = ['--from', litellm({ 'xai/grok-x': rates })];
    const { left_out } = run(...from, '--providers', 'xai', '--markup', '0%', '--unconfirmed');
    expect(left_out[0]?.reason).toBe(
      'litellm: input_cost_per_request_of_its_own is not a price that a catalog can say',
    );
  });

  it('reduces requests to the limit of a chat model that writes less than 64,000 tokens', () => {
    const writing = (tokens: number) =>
      about('"input": 1, "output": 2').replace('"output": 128000', `"output": ${tokens}`);
    const { models } = importFrom(
      'openai',
      { small: writing(63_999), large: writing(64_000), 'text-embedding-small': writing(8_191) },
      '0%',
      '--unconfirmed',
    );
    expect(
      models.map(({ id, max_output_tokens: limit, clamp_max_tokens: isClamped }) => [id, limit, isClamped]),
    ).toEqual([
      ['openai/small', 63_999, true],
      ['openai/large', 64_000, undefined],
      ['openai/text-embedding-small', undefined, undefined],
    ]);
  });

  it('imports embeddings without a price of output, whatever a list has there', () => {
    const cost =
      '"name": "E", "family": "text-embedding", "temperature": false, "cost": {"input": 0.02, "output": 0}';
    const { models } = importFrom('openai', { 'text-embedding-x': cost }, '0%', '--unconfirmed');
    expect(models[0]).toMatchObject({
      type: 'embeddings',
      price: { unit: 'per_million_tokens', input: '0.02' },
    });
    const [route = {}] = models[0]?.routes ?? [];
    expect(Object.keys(route)).not.toEqual(expect.arrayContaining(['reasoning']));
    expect(Object.keys(route)).not.toEqual(expect.arrayContaining(['capabilities']));
  });

  it('lists wanted models that no source has', () => {
    const from = ['--from', litellm({ 'gpt-x': '"litellm_provider": "openai"' })];
    const { left_out } = run(...from, '--providers', 'openai', '--only', 'gpt-none', '--markup', '5%');
    expect(left_out).toEqual([{ model: 'gpt-none', reason: 'no source has it', figures: {} }]);
  });

  it.each([
    [['--providers', 'openai', '--markup', '5%'], '--from is required'],
    [['--from', 'models.dev', '--providers', 'openai', '--markup', '5%'], '--from must be models.dev=FILE'],
    [['--from', 'other=x', '--providers', 'openai', '--markup', '5%'], '--from must be models.dev=FILE'],
    [[...EMPTY(), '--providers', 'nobody', '--markup', '5%'], '--providers: nobody is not known'],
    [[...EMPTY(), '--providers', 'openai', '--markup=-5%'], '--markup must be a percentage'],
    [[...EMPTY(), '--providers', 'openai', '--markup', '5'], '--markup must be a percentage'],
    [[...EMPTY(), ...EMPTY(), '--providers', 'openai', '--markup', '5%'], 'each source once'],
    [[...EMPTY(), '--markup', '5%'], '--providers is required'],
  ])('rejects the arguments %j', (args, message) => {
    expect(() => run(...args)).toThrow(message);
  });

  it('makes a valid catalog in time in proportion to its models', async () => {
    const make = (length: number) => {
      const models = Object.fromEntries(
        Array.from({ length }, (_, at) => [
          `model-${at}`,
          about(`"input": ${at + 1}.5, "output": 3, "cache_read": 0.1`),
        ]),
      );
      const { counts } = importFrom('openai', models, '5%', '--unconfirmed');
      expect(counts).toMatchObject({ models: length, left_out: 0 });
    };
    expect(await growthOf(make, 100)).toBeLessThan(MAX_RATIO);
  });
});
