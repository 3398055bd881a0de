import { describe, expect, it } from '@jest/globals';
import { modelsOf } from '../../testing/catalog/models.ts';
import { PROVIDERS, payloadNeeding } from '../../testing/fields/needs.ts';
import type { Model } from '../catalog/catalog-document.ts';
import type { PricedFeature } from '../fields/need.ts';
import type { Conversation } from '../upstream/conversation.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import { chooseRoutes } from './route-choice.ts';
import { NO_CONTROLS } from './route-controls.ts';

const routesOf = (name: string) =>
  ['openai', 'anthropic'].map((protocol) => ({ id: `${name}-${protocol}`, protocol }));

const models = modelsOf(
  { id: 'a/plain', routes: routesOf('plain') },
  {
    id: 'a/priced',
    price: {
      unit: 'per_million_tokens',
      input: 1,
      output: 2,
      cache_writes: { '5m': 1.25 },
      service_tiers: { priority: { factor: 2 } },
    },
    routes: routesOf('priced'),
  },
);

const TALK: Conversation = { system: [], turns: [], tools: [], maxTokens: 256, stop: [] };

const chosenOf = (candidates: readonly Model[], payload: ChatPayload) =>
  chooseRoutes({
    models: candidates,
    controls: NO_CONTROLS,
    chance: () => 0.5,
    call: { payload, providers: PROVIDERS, request: {} },
  });

const idsOf = (
  candidates: readonly Model[],
  needs: readonly PricedFeature[],
  protocol: 'openai' | 'anthropic' = 'openai',
) => chosenOf(candidates, payloadNeeding(needs, { protocol })).map((each) => each.route.id);

const tier: PricedFeature = { kind: 'service-tier', name: 'priority', param: 'service_tier' };
const cache: PricedFeature = { kind: 'cache-write', lifetime: '5m', param: 'system[0].cache_control' };

describe('a request with a priced feature', () => {
  it('goes to every route if it requests no priced feature', () => {
    expect(idsOf(models, [])).toHaveLength(4);
  });

  it('goes only to routes of its own protocol, of models that have the price', () => {
    expect(idsOf(models, [tier])).toEqual(['priced-openai']);
    expect(idsOf(models, [tier], 'anthropic')).toEqual(['priced-anthropic']);
  });

  it('fails with the name of the field if no model has the price', () => {
    expect(() => idsOf(models.slice(0, 1), [tier])).toThrow(
      expect.objectContaining({ code: 'unpriced_feature', status: 400, param: 'service_tier' }),
    );
  });

  it('loses its cache breakpoints on a route of another protocol that does not cache', () => {
    expect(idsOf(models, [cache], 'anthropic')).toEqual([
      'plain-openai',
      'priced-openai',
      'priced-anthropic',
    ]);
    expect(() => idsOf(models.slice(0, 1), [cache, tier], 'anthropic')).toThrow(
      expect.objectContaining({ code: 'unpriced_feature' }),
    );
  });

  it('adds its billable item on its own protocol, and none on another', () => {
    const cacheTerms = chosenOf(models, payloadNeeding([cache], { protocol: 'anthropic' }));
    const items = cacheTerms.map((each) => [each.route.id, each.billableItems.items.has('cache_write_5m')]);
    expect(items).toEqual([
      ['plain-openai', false],
      ['priced-openai', false],
      ['priced-anthropic', true],
    ]);
  });
});

describe('a vendor with a separate price for thinking, enabled by `enable_thinking`', () => {
  const plainAndTiered = modelsOf(
    ...[{}, { service_tiers: { thinking: { factor: 4 } } }].map((fields, index) => ({
      id: `q/${index}`,
      price: { unit: 'per_million_tokens', input: 1, output: 2, ...fields },
      routes: [{ id: `q-${index}`, dialect: { preset: 'qwen' } }],
    })),
  );
  const chosen = (reasoning: Conversation['reasoning'], protocol: 'openai' | 'anthropic') =>
    chosenOf(
      plainAndTiered,
      payloadNeeding([], {
        protocol,
        conversation: () => ({ ...TALK, ...(reasoning === undefined ? {} : { reasoning }) }),
      }),
    );

  it.each(['openai', 'anthropic'] as const)('thinks at that price only: callers of %s', (protocol) => {
    expect(chosen(undefined, protocol)).toHaveLength(2);
    expect(chosen({ effort: 'none' }, protocol)).toHaveLength(2);
    const [only, ...otherRoutes] = chosen({ effort: 'high' }, protocol);
    expect(only?.route.id).toBe('q-1');
    expect(otherRoutes).toEqual([]);
    expect(only?.billableItems).not.toEqual(chosen(undefined, protocol)[1]?.billableItems);
  });
});
