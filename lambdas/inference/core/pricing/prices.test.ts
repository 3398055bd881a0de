import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { modelDocument } from '../../testing/catalog/models.ts';
import { tokenPricesOf } from '../../testing/pricing/arbitraries.ts';
import { parseCatalog } from '../catalog/catalog-document.ts';
import { prices } from './prices.ts';

const BASE = { unit: 'per_million_tokens', input: '3', output: '15' };

/** Returns the faults of a document, each as `path: message`. */
function faultsOf(document: object): string[] {
  const { error } = prices.safeParse(document);
  return (error?.issues ?? []).map(({ path, message }) => `${path.join('.')}: ${message}`);
}

describe('a price', () => {
  it('parses exactly, from a number or text, with up to 9 decimal places', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 0, max: 999_999 }),
        fc.integer({ min: 0, max: 999_999_999 }),
        (integer, nano) => {
          const text = `${integer}.${String(nano).padStart(9, '0')}`;
          expect(tokenPricesOf({ input: text }).input).toBe(BigInt(integer) * 1_000_000_000n + BigInt(nano));
        },
      ),
    );
    expect(tokenPricesOf({ input: 0.1 }).input).toBe(100_000_000n);
    expect(tokenPricesOf({ input: 0.00875 }).input).toBe(8_750_000n);
  });

  it.each([
    ['-1', 'input: must be an amount'],
    ['0.0000000001', 'input: must be an amount'],
    ['1000001', 'input: must be an amount'],
    ['a', 'input: must be an amount'],
  ])('fails validation as %s', (input, fault) => {
    expect(faultsOf({ ...BASE, input }).join()).toContain(fault);
  });
});

describe('prices', () => {
  const tier = { above: 200_000, input: '6', output: '22.5' };

  it('accept tiers of the same rates, each with a higher start than the one before', () => {
    expect(faultsOf({ ...BASE, tiers: [tier, { ...tier, above: 400_000 }] })).toEqual([]);
    expect(faultsOf({ ...BASE, tiers: [tier, tier] })).toEqual([
      'tiers.1.above: must be more than that of the tier before',
    ]);
  });

  it.each([
    ['forgets one', { cached_input: '0.3' }, tier, 'input, cached_input, output'],
    ['adds one', {}, { ...tier, cached_input: '0.6' }, 'input, output'],
    [
      'forgets a lifetime',
      { cache_writes: { '5m': '3.75', '1h': '6' } },
      { ...tier, cache_writes: { '5m': '7.5' } },
      'input, cache_writes.1h, cache_writes.5m, output',
    ],
  ])('reject a tier that %s of the rates', (_case, base, wrong, names) => {
    expect(faultsOf({ ...BASE, ...base, tiers: [wrong] })).toEqual([
      `tiers.0: must have the same prices as the model: ${names}`,
    ]);
  });

  it('accept a service tier with a factor, or with the same rates and tiers as the model', () => {
    const sellingPrices = { input: '6', output: '30' };
    expect(faultsOf({ ...BASE, service_tiers: { priority: { factor: '2' }, fast: sellingPrices } })).toEqual(
      [],
    );
    expect(faultsOf({ ...BASE, tiers: [tier], service_tiers: { fast: sellingPrices } })).toEqual([
      'service_tiers.fast.tiers: must start where those of the model do',
    ]);
    expect(
      faultsOf({ ...BASE, service_tiers: { fast: { ...sellingPrices, reasoning_output: '1' } } }),
    ).toEqual(['service_tiers.fast: must have the same prices as the model: input, output']);
  });

  it.each(['0', '-1', '101', '1.0000000001', 'x'])('reject the factor %s', (factor) => {
    expect(faultsOf({ ...BASE, regions: { us: { factor } } }).join()).toContain('must be a factor above 0');
    expect(faultsOf({ ...BASE, service_tiers: { flex: { factor } } })).not.toEqual([]);
  });

  it.each([
    ['a misspelt rate', { cached_inputs: '1' }],
    ['a lifetime that nobody knows', { cache_writes: { '7d': '1' } }],
    ['a name with a capital', { features: { Web: { price: '1' } } }],
    ['a feature without a price', { features: { web_search: { max_uses: 1 } } }],
    ['a factor beside rates', { service_tiers: { flex: { factor: '1', input: '1' } } }],
  ])('reject %s', (_case, wrong) => {
    expect(faultsOf({ ...BASE, ...wrong })).not.toEqual([]);
  });
});

describe('the prices of a model', () => {
  const documentOf = (type: string, price: object | undefined, cost?: object) => ({
    models: [modelDocument({ type, price, routes: [{ cost }] })],
  });

  it.each([
    ['chat', BASE],
    ['embeddings', { unit: 'per_request', request: '1' }],
    ['tts', { unit: 'per_million_characters', character: '15' }],
    ['image', { unit: 'per_image', image: '1', variants: [{ quality: 'high', image: '2' }] }],
    ['audio', { unit: 'per_second', second: '1' }],
    ['audio', { unit: 'per_hour', hour: '1' }],
  ])('accept type %s with %o', (type, price) => {
    expect(() => parseCatalog(documentOf(type, price, price))).not.toThrow();
  });

  it.each([
    ['chat', { unit: 'per_request', request: '1' }, 'price.unit'],
    ['chat', { unit: 'per_million_tokens' }, 'price.input'],
    ['chat', { unit: 'per_million_tokens', input: '1' }, 'price.output'],
    ['image', BASE, 'price.unit'],
    ['audio', { unit: 'per_million_characters', character: '1' }, 'price.unit'],
  ])('reject type %s with %o', (type, price, path) => {
    expect(() => parseCatalog(documentOf(type, price))).toThrow(`models[0].${path}`);
    const validPrice = type === 'chat' ? BASE : { unit: 'per_request', request: '1' };
    expect(() => parseCatalog(documentOf(type, validPrice, price))).toThrow(
      `models[0].routes[0].${path.replace('price', 'cost')}`,
    );
  });

  it('reject a model without them', () => {
    expect(() => parseCatalog(documentOf('chat', undefined))).toThrow('models[0].price');
  });
});
