import { describe, expect, it } from '@jest/globals';
import { candidateOf } from '../../testing/catalog/models.ts';
import { PLAIN_REQUEST, PROVIDERS, payloadNeeding } from '../../testing/fields/needs.ts';
import type { Candidate, Model } from '../catalog/catalog-document.ts';
import type { Capability, Feature, Need } from '../fields/need.ts';
import { chooseRoutes, type RouteChoice } from './route-choice.ts';
import { NO_CONTROLS } from './route-controls.ts';

const modelOf = (id: string, routes: readonly object[]) => candidateOf({ id, routes }).model;

const choose = (models: readonly Model[], choice: Partial<RouteChoice> = {}) =>
  chooseRoutes({ models, controls: NO_CONTROLS, chance: () => 0.5, call: PLAIN_REQUEST, ...choice });

const ids = (candidates: readonly Candidate[]) => candidates.map(({ route }) => route.id);

const controls = (provider: object) => ({ ...NO_CONTROLS, ...provider });

const codeOf = (run: () => unknown) => {
  try {
    run();
  } catch (failure) {
    const { code, param, message } = failure as { code: string; param: string; message: string };
    return { code, param, message };
  }
  return undefined;
};

describe('routes of one priority', () => {
  it('come last when they weigh nothing', () => {
    const model = modelOf('a/b', [
      { id: 'spare', weight: 0 },
      { id: 'light', weight: 1 },
    ]);
    for (const chance of [0, 0.5, 0.999_999]) {
      expect(ids(choose([model], { chance: () => chance }))).toEqual(['light', 'spare']);
    }
  });
});

describe('the order of routes', () => {
  const first = modelOf('a/first', [
    { id: 'second-choice', priority: 2 },
    { id: 'first-choice', priority: 1 },
    { id: 'claude', priority: 3, protocol: 'anthropic' },
  ]);
  const further = modelOf('a/further', [{ id: 'further', priority: 0 }]);

  it('follows the models, and the priority within each of them', () => {
    const candidates = choose([first, further]);
    expect(ids(candidates)).toEqual(['first-choice', 'second-choice', 'claude', 'further']);
    expect(candidates.map(({ model }) => model.id)).toEqual(['a/first', 'a/first', 'a/first', 'a/further']);
  });

  it('starts with the routes that the caller lists by id or protocol, followed by the others', () => {
    expect(ids(choose([first], { controls: controls({ order: ['claude', 'second-choice'] }) }))).toEqual([
      'claude',
      'second-choice',
      'first-choice',
    ]);
    expect(ids(choose([first], { controls: controls({ order: ['anthropic'] }) }))).toEqual([
      'claude',
      'first-choice',
      'second-choice',
    ]);
  });

  it('contains only the routes that the caller allows', () => {
    expect(ids(choose([first], { controls: controls({ only: ['claude', 'further'] }) }))).toEqual(['claude']);
    expect(ids(choose([first], { controls: controls({ only: ['openai'] }) }))).toEqual([
      'first-choice',
      'second-choice',
    ]);
    expect(ids(choose([first], { controls: controls({ ignore: ['openai'] }) }))).toEqual(['claude']);
    expect(ids(choose([first, further], { controls: controls({ allow_fallbacks: false }) }))).toEqual([
      'first-choice',
    ]);
  });

  it('fails validation if the caller’s controls leave no route', () => {
    expect(codeOf(() => choose([first], { controls: controls({ only: ['unknown'] }) }))).toMatchObject({
      code: 'invalid_value',
      param: 'provider',
    });
  });
});

describe('a route that does not support the payload', () => {
  const model = modelOf('a/b', [
    { id: 'plain', priority: 1, capabilities: ['stream'] },
    { id: 'seeing', priority: 2, capabilities: ['stream', 'vision'] },
    { id: 'claude', priority: 3, capabilities: ['stream', 'vision'], protocol: 'anthropic' },
  ]);
  const needing = (capabilities: readonly Capability[], features: readonly Feature[] = []) => {
    const needs: Need[] = [
      ...capabilities.map((name) => ({ kind: 'capability', name, param: 'a' }) as const),
      ...features.map((name) => ({ kind: 'feature', name, param: 'a' }) as const),
    ];
    return { call: { payload: payloadNeeding(needs), providers: PROVIDERS, request: {} } };
  };

  it('drops out if it lacks a capability, or if its protocol cannot express the payload', () => {
    expect(ids(choose([model], needing(['stream', 'vision'])))).toEqual(['seeing', 'claude']);
    expect(ids(choose([model], needing(['vision'], ['choices', 'image-urls'])))).toEqual(['seeing']);
  });

  it('appears in the error with its missing features if there is no other', () => {
    expect(codeOf(() => choose([model], needing(['vision'], ['choices', 'messages-blocks'])))).toEqual({
      code: 'unsupported_by_model',
      param: 'model',
      message:
        'No route of a/b supports vision, this kind of content block or tool, n above 1. Leave it out, or choose another model.',
    });
  });
});
