import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../../lambdas/inference/core/catalog/catalog-document.ts';
import { NEW_ACCOUNT } from '../../../tools/simulators/models/bedrock/control-plane.ts';
import { foundationModels, inferenceProfiles } from '../../../tools/simulators/models/bedrock/offers.ts';
import { accountAccess, bedrockOfTests } from '../../testing/bedrock-account.ts';
import { readModelAccess } from '../model-access.ts';
import { readAccountCatalog } from './account-catalog.ts';
import { foundationModelOf, geographyOfProfile } from './ids.ts';

const NOW = new Date('2026-11-29T00:00:00Z');
const GOLDEN = join(import.meta.dirname, '..', '..', 'testing', 'catalog', 'bedrock');
const { fault } = bedrockOfTests();

/** Reads what Bedrock offers; the models of other services have their own tests. */
async function read(region: string, options: Partial<Parameters<typeof readAccountCatalog>[1]> = {}) {
  const found = await readAccountCatalog(accountAccess(region), { now: NOW, ...options });
  const { models, defaults } = documentOf(found);
  const ofBedrock = models.filter(({ routes }) => !/^(polly|transcribe)$/.test(routes[0]?.protocol ?? ''));
  const { tts: _tts, audio: _audio, ...defaultsOfBedrock } = defaults;
  return {
    ...found,
    json: JSON.stringify({ models: ofBedrock, defaults: defaultsOfBedrock }),
    leftOut: found.leftOut.filter(({ model }) => !model.startsWith('amazon/')),
  };
}

interface Route {
  readonly id: string;
  readonly protocol: string;
  readonly upstream_model: string;
  readonly base_url?: string;
  readonly priority: number;
}

interface Document {
  readonly models: readonly {
    readonly id: string;
    readonly aliases: readonly string[];
    readonly price: object;
    readonly max_output_tokens?: number;
    readonly clamp_max_tokens?: boolean;
    readonly routes: readonly Route[];
  }[];
  readonly defaults: Readonly<Record<string, string>>;
}

const documentOf = ({ json }: { readonly json: string }) => JSON.parse(json) as Document;

const regionsOf = ({ routes }: Document['models'][number]) => [
  ...new Set(routes.map(({ id }) => id.slice(0, id.indexOf('/')))),
];

const REGIONS = ['us-east-1', 'us-west-1', 'eu-central-1', 'eu-west-3', 'ap-northeast-1', 'ap-southeast-2'];

describe('the catalog of an account', () => {
  it.each(['us-east-1', 'eu-central-1', 'ap-northeast-1'])(
    'equals the recorded one for the lists of %s (GOLDEN=write records it)',
    async (region) => {
      const found = await read(region);
      const text = `${JSON.stringify({ ...documentOf(found), left_out: found.leftOut }, null, 1)}\n`;
      const file = join(GOLDEN, `${region}.json`);
      if (process.env.GOLDEN === 'write') writeFileSync(file, text);
      expect(JSON.parse(text)).toEqual(JSON.parse(readFileSync(file, 'utf8')));
    },
  );

  it.each(REGIONS)(
    'contains each model of the lists of %s, or leaves it out with a reason',
    async (region) => {
      const found = await read(region);
      const document = parseCatalog(JSON.parse(found.json));
      const served = document.models.flatMap(({ routes }) =>
        routes.map(({ upstream_model: id }) => foundationModelOf(id)),
      );
      const names = [...new Set([...served, ...found.leftOut.map(({ model }) => model)])];
      const listed = new Set(
        found.regions.flatMap((name) => foundationModels(name).modelSummaries.map(({ modelId }) => modelId)),
      );
      expect(names.sort()).toEqual([...listed].sort());
      for (const { reason } of found.leftOut) expect(reason).not.toBe('');
    },
  );

  it.each(REGIONS)(
    'gives each name in %s to one model, and lists the ids that callers of Bedrock send',
    async (region) => {
      const found = await read(region);
      const { models } = documentOf(found);
      const names = models.flatMap(({ id, aliases }) => [id, ...aliases]);
      expect(new Set(names).size).toBe(names.length);
      const profiles = found.regions
        .flatMap((name) => inferenceProfiles(name, { size: 1_000, token: 0 }).inferenceProfileSummaries)
        .map(({ inferenceProfileId: id }) => id);
      for (const { routes, aliases } of models) {
        const foundation = foundationModelOf(routes[0]?.upstream_model ?? '');
        const own = profiles.filter((id) => foundationModelOf(id) === foundation);
        expect(aliases).toEqual(expect.arrayContaining([foundation, ...own]));
      }
    },
  );

  it.each([
    ['us-east-1', undefined, /^(global|us)$/],
    ['eu-central-1', undefined, /^eu$/],
    ['ap-northeast-1', undefined, /^(jp|apac)$/],
    ['ap-southeast-2', undefined, /^(au|apac)$/],
    ['eu-central-1', 'global', /^(global|eu)$/],
    ['us-east-1', 'geography', /^us$/],
    ['us-east-1', 'region', /^$/],
  ] as const)('keeps prompts of %s within the residency %s', async (region, residency, allowed) => {
    const { models } = documentOf(await read(region, { residency }));
    expect(models.length).toBeGreaterThan(2);
    for (const model of models)
      for (const { upstream_model: id, base_url: url = '' } of model.routes) {
        const geography = geographyOfProfile(id);
        if (geography !== undefined) expect([id, geography]).toEqual([id, expect.stringMatching(allowed)]);
        const called = /bedrock-runtime\.([a-z0-9-]+)\./.exec(url)?.[1] ?? region;
        if (residency !== 'global') expect(called.split('-')[0]).toBe(region.split('-')[0]);
        if (residency === 'region') expect(called).toBe(region);
      }
  });

  it.each(REGIONS)(
    'gives a model of %s routes of one price, at most four, the own region first',
    async (region) => {
      const found = await read(region);
      for (const model of documentOf(found).models) {
        const { routes } = model;
        expect(routes.length).toBeLessThanOrEqual(4);
        expect(new Set(routes.map(({ upstream_model: id }) => id)).size).toBe(1);
        for (const route of routes) expect(route).not.toHaveProperty('cost');
        expect(routes.map(({ priority }) => priority)).toEqual(routes.map((_, at) => at + 1));
        const order = found.regions.filter((name) => regionsOf(model).includes(name));
        expect(regionsOf(model)).toEqual(order);
      }
    },
  );

  it('lowers the output limit of models that write less than agents request', async () => {
    const { models } = documentOf(await read('us-east-1'));
    const chat = models.filter(({ max_output_tokens: limit }) => limit !== undefined);
    expect(chat.some(({ max_output_tokens: limit = 0 }) => limit < 64_000)).toBe(true);
    for (const { id, max_output_tokens: limit = 0, clamp_max_tokens: isClamped } of chat)
      expect([id, isClamped === true]).toEqual([id, limit < 64_000]);
  });

  it('multiplies the price by the markup, and states the cost then', async () => {
    const { markupOf } = await import('../import/imported-model.ts');
    const { models } = documentOf(await read('us-east-1', { markup: markupOf('20%') }));
    const glm = models.find(({ id }) => id === 'zai/glm-5');
    expect(glm).toMatchObject({
      price: { input: '1.2', output: '3.84' },
      routes: [{ cost: { input: '1', output: '3.2' } }, { cost: { input: '1', output: '3.2' } }],
    });
  });

  it('sells a model outside the US at the price of its region, and not without one', async () => {
    const found = await read('eu-central-1', { regions: [] });
    const minimax = documentOf(found).models.find(({ id }) => id === 'minimax/minimax-m2.5');
    expect(minimax?.price).toMatchObject({ input: '0.36', output: '1.44' });
    for (const model of ['qwen.qwen3-next-80b-a3b', 'openai.gpt-oss-20b-1:0'])
      expect(found.leftOut).toContainEqual({ model, reason: 'no list has its price in eu-central-1' });
  });

  it('names what it left out: without an agreed price, Legacy, provisioned, of an unknown type', async () => {
    const { leftOut } = await read('us-east-1');
    const reasons = new Map(leftOut.map(({ model, reason }) => [model, reason]));
    expect(reasons.get('anthropic.claude-sonnet-4-5-20250929-v1:0')).toBe(
      'AWS says LEGACY, until 2027-04-08',
    );
    expect(reasons.get('amazon.nova-pro-v1:0:300k')).toBe('it needs provisioned throughput');
    expect(reasons.get('future.model-v1:0')).toBe('the service has no calls for it: it returns hologram');
    expect(reasons.get('amazon.rerank-v1:0')).toContain('a ranking');
    expect(reasons.get('amazon.titan-embed-image-v1')).toBe('the service does not know how to ask it');
    const { leftOut: ofEurope } = await read('eu-central-1');
    expect(ofEurope).toContainEqual({
      model: 'amazon.nova-micro-v1:0',
      reason: 'eu.amazon.nova-micro-v1:0 has no price that two sources agree on: the sources differ',
    });
  });
});

describe('reading an account', () => {
  it('repeats a throttled read', async () => {
    await fault({ path: '/foundation-models' }, 429, 2);
    const { unread, regions } = await read('us-east-1');
    expect([unread, regions]).toEqual([[], ['us-east-1', 'us-west-2']]);
  });

  it('goes on without a second region that cannot be read, and names it', async () => {
    const routes = accountAccess();
    const signedHeaders: typeof routes.signedHeaders = (request) =>
      request.region === 'us-west-2'
        ? Promise.reject(new Error('bedrock in us-west-2 answered 403'))
        : routes.signedHeaders(request);
    const found = await readAccountCatalog({ ...routes, signedHeaders }, { now: NOW });
    expect(found.unread).toEqual(['us-west-2: bedrock in us-west-2 answered 403']);
    const regions = documentOf(found).models.flatMap(regionsOf);
    expect(regions).toContain('us-east-1');
    expect(regions).not.toContain('us-west-2');
  });

  it('throws if the region of the stage cannot be read', async () => {
    await fault({ path: '/inference-profiles' }, 500, 0);
    await expect(read('us-east-1')).rejects.toThrow('bedrock in us-east-1 answered 500');
  });

  it('throws for a region outside the geography, unless prompts may leave it', async () => {
    await expect(read('eu-central-1', { regions: ['us-east-1'] })).rejects.toThrow(
      '--region us-east-1 is not in the geography of eu-central-1 (eu)',
    );
    const found = await read('eu-central-1', { regions: ['us-east-1'], residency: 'global' });
    expect(found.regions).toEqual(['eu-central-1', 'us-east-1']);
  });

  it('reads pages of profiles until the last', async () => {
    const { readRegionOffer } = await import('./control-plane.ts');
    const { profiles } = await readRegionOffer(accountAccess(), 'us-east-1');
    const { inferenceProfileSummaries: all } = inferenceProfiles('us-east-1', { size: 1_000, token: 0 });
    expect(profiles.map(({ id }) => id)).toEqual(all.map(({ inferenceProfileId: id }) => id));
  });

  it('finds the models that a new account has not agreed to, and those whose state is not known', async () => {
    const { json } = await read('us-east-1');
    const document = parseCatalog(JSON.parse(json));
    const { denied } = await readModelAccess(document, accountAccess('us-east-1', `${NEW_ACCOUNT}1`));
    const vendors = new Set(denied.map(({ id }) => id.split('/')[0]));
    expect(vendors).toContain('anthropic');
    expect([...vendors].filter((vendor) => vendor === 'amazon' || vendor === 'openai')).toEqual([]);
    await fault({ path: '/foundation-model-availability/{modelId}' }, 403, 0);
    const { unknown } = await readModelAccess(document, accountAccess());
    expect(unknown).toHaveLength(document.models.length);
    expect(unknown[0]?.reason).toBe('bedrock in us-east-1 answered 403');
  });
});
