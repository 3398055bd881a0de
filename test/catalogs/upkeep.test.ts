import { describe, expect, it } from '@jest/globals';
import { parseCatalog } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { modelEntry, priceEntry } from '../../lambdas/inference/core/catalog/model-lists.ts';
import { announcedEndOf, ENDED_MODELS } from '../../operator/catalog/bedrock/ended-models.ts';
import { SHIPPED_CATALOGS, shippedCatalog } from './shipped-catalogs.ts';

/** The day of the last comparison of all prices with their sources. */
const COMPARED_ON = '2026-11-22';

describe.each(SHIPPED_CATALOGS)('the shipped catalog %s', (name) => {
  const { models } = shippedCatalog(name);

  it('states the source and date of every price, and no price is older than the last comparison', () => {
    for (const { id, price_source: source } of models)
      expect([id, (source?.as_of ?? '') >= COMPARED_ON, source?.url]).toEqual([
        id,
        true,
        expect.stringMatching(/^https:/),
      ]);
  });

  it('names no model that has ended or whose end is announced', () => {
    for (const { id, routes } of models)
      for (const route of routes) expect([id, announcedEndOf(route.upstream_model)]).toEqual([id, undefined]);
  });

  it('shows callers nothing of where prices come from', () => {
    for (const model of models)
      expect(JSON.stringify([modelEntry(model), priceEntry(model)])).not.toMatch(/price_source|as_of/);
  });
});

describe('the source of a price', () => {
  const withSource = (source: unknown) => () =>
    parseCatalog({
      models: [
        {
          id: 'm',
          type: 'image',
          owned_by: 'o',
          created: 1,
          price: { unit: 'per_image', image: 1 },
          price_source: source,
          routes: [{ id: 'r', protocol: 'openai', base_url: 'https://example.com/v1', upstream_model: 'm' }],
        },
      ],
    });
  const source = { url: 'https://example.com/prices', as_of: '2026-11-22' };

  it('consists of an address and a day, and is optional', () => {
    expect(withSource(source)).not.toThrow();
    expect(withSource(undefined)).not.toThrow();
  });

  it.each([
    ['as_of', { ...source, as_of: '2026-11-31' }],
    ['as_of', { url: source.url }],
    ['url', { ...source, url: 'the price list' }],
    ['price_source', { ...source, read_by: 'me' }],
  ])('causes an error that names the field if a value is wrong: %s', (field, wrong) => {
    expect(withSource(wrong)).toThrow(field);
  });
});

describe('the announced end of a model', () => {
  it.each([
    ['amazon.nova-canvas-v1:0', '2026-09-30'],
    ['us.amazon.nova-premier-v1:0:mm', '2026-09-14'],
    ['global.anthropic.claude-sonnet-4-5-20250929-v1:0', '2027-04-08'],
    [
      'arn:aws:bedrock:us-east-1:1:inference-profile/us.anthropic.claude-opus-4-1-20250805-v1:0',
      '2027-01-08',
    ],
    ['meta.llama3-1-405b-instruct-v1:0', '2026-07-07'],
    ['meta.llama3-1-8b-instruct-v1:0', '2027-03-30'],
    ['minimax.minimax-m2', '2027-03-30'],
  ])('matches each identifier of the model: %s', (model, endsOn) => {
    expect(announcedEndOf(model)?.endsOn).toBe(endsOn);
  });

  it.each([
    'stability.stable-image-core-v1:1',
    'global.anthropic.claude-sonnet-4-6',
    'anthropic.claude-haiku-4-5-20251001-v1:0',
    'amazon.nova-2-lite-v1:0',
    'minimax.minimax-m2.5',
  ])('does not match another model with a similar name: %s', (model) => {
    expect(announcedEndOf(model)).toBeUndefined();
  });

  it('specifies a day and a source', () => {
    for (const { model, endsOn, source } of ENDED_MODELS)
      expect([model, endsOn, source]).toEqual([
        model,
        expect.stringMatching(/^202\d-[01]\d-[0-3]\d$/),
        expect.stringMatching(/^https:/),
      ]);
  });
});
