import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { modelDocument } from '../../testing/catalog/models.ts';
import { openCatalog, requireModel } from './catalog.ts';
import { parseCatalog } from './catalog-document.ts';

const BEDROCK: unknown = JSON.parse(readFileSync('catalogs/bedrock.json', 'utf8'));

const modelOf = (index: number, fields: object = {}) =>
  modelDocument({
    id: `acme/model-${index}`,
    aliases: [`alias-${index}`],
    price: { unit: 'per_million_tokens', input: '0.15', output: '0.6' },
    routes: [
      { id: `a-${index}` },
      { id: `b-${index}`, protocol: 'bedrock', base_url: undefined, priority: 2 },
    ],
    ...fields,
  });

/** A document whose models say when they are read. */
function watchedDocument(models: number) {
  const read: number[] = [];
  const document = {
    models: Array.from({ length: models }, (_, index) => {
      const model = modelOf(index);
      const { price } = model;
      return Object.defineProperty(model, 'price', {
        enumerable: true,
        get: () => {
          read.push(index);
          return price;
        },
      });
    }),
  };
  return { document, modelsRead: () => new Set(read).size, reads: () => read.length };
}

describe('a catalog of 5,000 models', () => {
  it('opens without reading a model, and reads each requested model once', () => {
    const { document, modelsRead, reads } = watchedDocument(5_000);
    const catalog = openCatalog('1', document);
    expect(modelsRead()).toBe(0);
    expect(catalog.find('acme/model-4999')?.id).toBe('acme/model-4999');
    expect(modelsRead()).toBe(1);
    const before = reads();
    for (const name of ['acme/model-4999', 'alias-4999', 'acme/model-4999']) catalog.find(name);
    expect(reads()).toBe(before);
    expect(catalog.find('acme/none')).toBeUndefined();
    expect(requireModel(catalog, 'alias-17', 'chat', 'model').id).toBe('acme/model-17');
    expect(modelsRead()).toBe(2);
  });

  it('reads all models once for a list', () => {
    const { document, modelsRead, reads } = watchedDocument(5_000);
    const catalog = openCatalog('1', document);
    expect(catalog.models).toHaveLength(5_000);
    expect(modelsRead()).toBe(5_000);
    const before = reads();
    expect(catalog.models).toBe(catalog.models);
    expect(reads()).toBe(before);
  });
});

describe('a model of an open catalog', () => {
  it('equals the validated model, including defaults and prices', () => {
    const documents = [BEDROCK, { models: [modelOf(0), modelOf(1, { aliases: undefined })] }];
    for (const document of documents) {
      const validated = parseCatalog(document);
      const opened = openCatalog('1', document);
      expect(opened.models).toEqual(validated.models);
      expect(opened.defaults).toEqual(validated.defaults);
      for (const model of validated.models) {
        for (const name of [model.id, ...model.aliases]) expect(opened.find(name)).toEqual(model);
      }
    }
    const catalog = openCatalog('1', { models: [modelOf(0)] });
    const { price, routes } = requireModel(catalog, 'alias-0', 'chat', 'model');
    expect(price).toMatchObject({ input: 150_000_000n, output: 600_000_000n });
    expect(routes.map(({ weight, priority, base_url: url }) => [weight, priority, url])).toEqual([
      [1, 1, 'https://a.test/v1'],
      [1, 2, ''],
    ]);
  });

  it('resolves to one object under each of its names and in the list', () => {
    const catalog = openCatalog('1', { models: [modelOf(0), modelOf(1)] });
    expect(catalog.find('alias-1')).toBe(catalog.find('acme/model-1'));
    expect(catalog.models[1]).toBe(catalog.find('alias-1'));
  });

  it('resolves only under the names that the document gives', () => {
    const catalog = openCatalog('1', { models: [modelOf(0)] });
    for (const name of ['', 'undefined', '__proto__', 'constructor', 'ALIAS-0'])
      expect(catalog.find(name)).toBeUndefined();
  });

  it('stays out of the list if a later version has applied it, and has a call that names it repeated', () => {
    const later = [
      modelOf(1, { field_of_a_later_version: true }),
      modelOf(2, { routes: [{ id: 'a-2', protocol: 'of-a-later-version' }] }),
      modelOf(3, { routes: [{ id: 'a-3', guard_of_a_later_version: 'on' }, { id: 'b-3' }] }),
    ];
    const faults: string[] = [];
    const catalog = openCatalog('1', { models: [modelOf(0), ...later, modelOf(4)] }, (fault) =>
      faults.push(fault.message),
    );
    for (let round = 0; round < 2; round += 1) {
      expect(catalog.models.map(({ id }) => id)).toEqual(['acme/model-0', 'acme/model-4']);
      for (const name of ['acme/model-0', 'alias-4']) expect(catalog.find(name)).toBeDefined();
      for (const name of ['acme/model-1', 'alias-2', 'alias-3']) {
        expect(catalog.find(name)).toBeUndefined();
        expect(() => requireModel(catalog, name, 'chat', 'model')).toThrow(
          expect.objectContaining({ code: 'outdated_version' }),
        );
      }
      // A name that only resembles one of them is unknown as ever.
      expect(() => requireModel(catalog, 'alias-11', 'chat', 'model')).toThrow(
        expect.objectContaining({ code: 'model_not_found' }),
      );
    }
    expect(faults).toEqual([
      expect.stringMatching(/"acme\/model-1" of the stored catalog is not valid.*field_of_a_later_version/s),
      expect.stringContaining('of the stored catalog is not valid'),
      expect.stringContaining('guard_of_a_later_version'),
    ]);
  });
});

describe('the check of token_factor and hidden_tokens', () => {
  const catalogWith = (fields: object) => {
    const [model] = parseCatalog({ models: [modelOf(0, fields)] }).models;
    return [model?.token_factor, model?.hidden_tokens];
  };

  it('accepts a factor for texts from 1 to 16 and tokens before each prompt, or neither', () => {
    expect(catalogWith({})).toEqual([undefined, undefined]);
    expect(catalogWith({ token_factor: 1, hidden_tokens: 0 })).toEqual([1, 0]);
    expect(catalogWith({ token_factor: 1.25, hidden_tokens: 2_000 })).toEqual([1.25, 2_000]);
    expect(catalogWith({ token_factor: 16, hidden_tokens: 100_000 })).toEqual([16, 100_000]);
  });

  it.each([
    ...[0, 0.99, 16.01, '2', null, Number.NaN].map((value) => ['token_factor', value] as const),
    ...[-1, 1.5, 100_001, '2', null].map((value) => ['hidden_tokens', value] as const),
    // Only speech has it.
    ...[4, 0.5, 17, '4'].map((value) => ['characters_per_token', value] as const),
  ])('rejects %s of %p', (field, value) => {
    expect(() => catalogWith({ [field]: value })).toThrow(`models[0].${field}`);
  });
});

describe('the check of guardrails', () => {
  const guardrail = { id: 'abc123', version: '3' };
  const bedrock = (id: string, fields: object = {}) => ({
    id,
    protocol: 'bedrock',
    base_url: undefined,
    ...fields,
  });
  const price = { unit: 'per_million_tokens', input: 1, output: 2 };
  const routesAt = (request: object, ...routes: object[]) =>
    parseCatalog({ models: [modelOf(0, { price: { ...price, ...request }, routes })] }).models[0]?.routes.map(
      (route) => route.guardrail,
    );
  const routesOf = (...routes: object[]) => routesAt({ request: 0.0015 }, ...routes);

  it('accepts one on all routes of a model, each with its id, version and mode', () => {
    const arn = 'arn:aws:bedrock:eu-central-1:123456789012:guardrail/abc123';
    expect(
      routesOf(
        bedrock('a', { guardrail }),
        bedrock('b', { guardrail: { id: arn, version: 'DRAFT', stream: 'async' } }),
      ),
    ).toEqual([
      { ...guardrail, stream: 'sync' },
      { id: arn, version: 'DRAFT', stream: 'async' },
    ]);
  });

  it.each([
    ['a route of Bedrock without one', bedrock('b'), 'routes[1].guardrail'],
    ['a route of another protocol', { id: 'b' }, 'routes[1].guardrail'],
    ['one on another protocol', { id: 'b', guardrail }, 'protocol "bedrock" only'],
    ['an id in capitals', bedrock('b', { guardrail: { ...guardrail, id: 'ABC' } }), 'the id or the ARN'],
    ['a version that is a number', bedrock('b', { guardrail: { ...guardrail, version: 3 } }), 'version'],
    ['version 0', bedrock('b', { guardrail: { ...guardrail, version: '0' } }), 'or "DRAFT"'],
    ['an unknown mode', bedrock('b', { guardrail: { ...guardrail, stream: 'off' } }), 'guardrail.stream'],
  ])('rejects a guarded model with %s', (_name, second, words) => {
    expect(() => routesOf(bedrock('a', { guardrail }), second)).toThrow(words);
  });

  it('requires a price of a request, 0 for a guardrail that is free', () => {
    expect(() => routesAt({}, bedrock('a', { guardrail }))).toThrow('models[0].price.request');
    expect(routesAt({ request: 0 }, bedrock('a', { guardrail }))).toHaveLength(1);
  });

  it('rejects one on a model of embeddings', () => {
    const route = bedrock('a', { upstream_model: 'amazon.titan-embed-text-v2:0', guardrail });
    const fields = {
      type: 'embeddings',
      price: { unit: 'per_million_tokens', input: '0.1' },
      routes: [route],
    };
    expect(() => parseCatalog({ models: [modelOf(0, fields)] })).toThrow('is for type "chat" only');
  });
});

it.each<[string, unknown]>([
  ['nothing', undefined],
  ['a list', []],
  ['an object without models', { defaults: {} }],
  ['models that are no list', { models: { length: 1 } }],
  ['a field that is not known', { models: [modelOf(0)], markup: 2 }],
  ['a default of no kind', { models: [modelOf(0)], defaults: { music: 'acme/model-0' } }],
])('%s causes an error, because it is no stored document', (_name, document) => {
  expect(() => openCatalog('1', document)).toThrow('the stored catalog is not valid');
});
