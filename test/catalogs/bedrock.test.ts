import { describe, expect, it } from '@jest/globals';
import { awsAddressOf } from '../../lambdas/inference/core/catalog/aws-address.ts';
import type { CatalogRoute } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { billOf } from '../../lambdas/inference/core/pricing/bill.ts';
import { unitCounts } from '../../lambdas/inference/core/pricing/counts.ts';
import { KINDS } from '../../lambdas/platform/core/kinds.ts';
import { shippedCatalog } from './shipped-catalogs.ts';

const { models: all, defaults } = shippedCatalog('bedrock.json');
const isSpeech = ({ type }: (typeof all)[number]) => type === 'tts';
const isTranscription = ({ type }: (typeof all)[number]) => type === 'audio';
const models = all.filter((model) => !isSpeech(model) && !isTranscription(model));
const routes = models.flatMap((model) => model.routes);

describe('the catalog of Amazon Bedrock', () => {
  it('passes validation, and sets a default for each type', () => {
    expect(models.length).toBeGreaterThan(5);
    expect(Object.keys(defaults).sort()).toEqual([...KINDS].sort());
  });

  it('responds without a provider’s key: every route is signed with the function’s role', () => {
    for (const { id, protocol, auth, secret } of routes)
      expect([id, secret, protocol === 'bedrock' || auth === 'sigv4']).toEqual([id, undefined, true]);
  });

  it('serves every model in any region of a deployment: by a profile, or at an address of the model’s region', () => {
    const isServedAnywhere = ({ base_url: url, upstream_model: model }: CatalogRoute): boolean =>
      url === '' ? !model.startsWith('stability.') : awsAddressOf(url) !== undefined;
    for (const { id, routes: modelRoutes } of models)
      expect([
        id,
        modelRoutes.some((route) => route.protocol === 'bedrock' && isServedAnywhere(route)),
      ]).toEqual([id, true]);
  });

  it('lists a second route for every model, at another address or endpoint', () => {
    for (const { id, routes: modelRoutes } of models) {
      const shifts = modelRoutes.map(
        ({ protocol, base_url: url, upstream_model: model }) => `${protocol} ${url} ${model}`,
      );
      expect([id, new Set(shifts).size >= 2]).toEqual([id, true]);
      const addresses = modelRoutes.map(({ base_url: url }) => url);
      expect([id, new Set(addresses).size]).toEqual([id, modelRoutes.length]);
    }
  });

  const firstOf = (prefix: string) =>
    models.filter(({ id }) => id.startsWith(prefix)).map(({ id, routes: [first] }) => ({ id, first }));

  it('calls Claude in its own format first, by the profile that the endpoint requires', () => {
    const claude = firstOf('anthropic/');
    expect(claude.length).toBeGreaterThan(3);
    for (const { id, first } of claude)
      expect([id, first]).toEqual([
        id,
        expect.objectContaining({
          protocol: 'anthropic',
          auth: 'sigv4',
          base_url: 'https://bedrock-runtime.us-east-1.amazonaws.com/anthropic/v1',
          upstream_model: expect.stringMatching(/^global\.anthropic\.claude-/),
          betas: expect.arrayContaining(['interleaved-thinking-2025-05-14']),
        }),
      ]);
  });

  it('calls OpenAI’s open models in both of OpenAI’s formats before any other', () => {
    const open = models.filter(({ id }) => id.startsWith('openai/'));
    expect(open.length).toBe(2);
    for (const { id, routes: modelRoutes } of open)
      expect([id, modelRoutes.map(({ protocol, priority }) => [protocol, priority])]).toEqual([
        id,
        [
          ['openai', 1],
          ['openai-responses', 2],
          ['bedrock', 3],
        ],
      ]);
  });

  it('signs for the service that each host names, the workspace being needed nowhere', () => {
    for (const { id, auth, base_url: url, workspace } of routes.filter((route) => route.auth === 'sigv4'))
      expect([id, auth, awsAddressOf(url)?.service, workspace]).toEqual([
        id,
        'sigv4',
        url.includes('mantle') ? 'bedrock-mantle' : 'bedrock',
        undefined,
      ]);
  });

  it('bounds images of Claude: 1,568 tokens before Claude 4.7, and 4,784 since', () => {
    const sizes = models
      .filter(({ id }) => id.startsWith('anthropic/'))
      .map(({ id, max_image_tokens: maxImageTokens }) => [id, maxImageTokens]);
    expect(Object.fromEntries(sizes)).toEqual({
      'anthropic/claude-opus-5.5': 4784,
      'anthropic/claude-sonnet-5.5': 4784,
      'anthropic/claude-sonnet-4.6': 1568,
      'anthropic/claude-haiku-5.5': 4784,
      'anthropic/claude-haiku-4.5': 1568,
    });
  });

  it('calls Stability AI’s models in the one region that has them', () => {
    const images = models.filter(({ type }) => type === 'image').flatMap((model) => model.routes);
    expect(images.length).toBeGreaterThan(0);
    for (const { id, base_url: url } of images)
      expect([id, awsAddressOf(url)?.region]).toEqual([id, 'us-west-2']);
  });

  it('streams every conversation', () => {
    const conversations = models.filter(({ type }) => type === 'chat').flatMap((model) => model.routes);
    for (const { id, capabilities } of conversations)
      expect([id, capabilities]).toEqual([id, expect.arrayContaining(['stream'])]);
  });
});

describe('speech of the catalog', () => {
  const speech = all.filter(isSpeech);

  it('use the function’s role in its own region', () => {
    expect(speech.length).toBe(3);
    for (const { id, routes: own } of speech)
      expect([id, own.map(({ protocol, base_url: url, secret }) => [protocol, url, secret])]).toEqual([
        id,
        [['polly', '', undefined]],
      ]);
  });

  it('take as long as a call can: 4,096 Han characters last 90 minutes at speed 0.25', () => {
    for (const { id, routes: own } of speech)
      expect([id, own.map(({ timeout_ms: timeoutMs }) => timeoutMs)]).toEqual([id, [270_000]]);
  });

  it('answer to the names of OpenAI’s models and voices', () => {
    const named = (alias: string) => speech.find(({ aliases }) => aliases.includes(alias))?.id;
    expect(['tts-1', 'tts-1-hd'].map(named)).toEqual(['amazon/polly-neural', 'amazon/polly-generative']);
    for (const { id, voices = [], routes: own } of speech) {
      const names = own[0]?.voice_names ?? {};
      expect([id, Object.keys(names)]).toEqual([id, VOICES]);
      expect([id, voices]).toEqual([id, expect.arrayContaining([...VOICES, ...Object.values(names)])]);
    }
  });

  it('cost callers what AWS charges', () => {
    const text = 'a'.repeat(1_000_000);
    for (const { id, price, characters_per_token: perToken = 0, routes: own } of speech) {
      const tokens = Math.ceil(text.length / perToken);
      const measured = { tokens, characters: text.length };
      const [charged, paid] = [price, own[0]?.cost].map((list) =>
        list === undefined ? 0n : billOf(list, unitCounts(list.unit, measured)).amount,
      );
      expect([id, charged]).toEqual([id, paid]);
    }
  });
});

describe('transcription of the catalog', () => {
  const [model, ...others] = all.filter(isTranscription);

  it('answers to the name of OpenAI’s model, and uses the function’s role', () => {
    expect([model?.id, others]).toEqual(['amazon/transcribe', []]);
    expect(model?.aliases).toContain('whisper-1');
    expect(model?.routes).toMatchObject([{ protocol: 'transcribe', base_url: '', max_seconds: 600 }]);
  });

  it('costs callers no less than AWS charges, which rounds up to a second', () => {
    const amountOf = (list: (typeof all)[number]['price'] | undefined, seconds: number) =>
      list === undefined ? 0n : billOf(list, unitCounts(list.unit, { seconds })).amount;
    for (const seconds of [5.1, 30, 600])
      expect(amountOf(model?.price, seconds)).toBeGreaterThanOrEqual(
        amountOf(model?.routes[0]?.cost, Math.ceil(seconds)),
      );
  });
});

/** OpenAI API reference, Create speech, `voice`. */
const VOICES = 'alloy ash ballad cedar coral echo fable marin nova onyx sage shimmer verse'.split(' ');
