/** Which routes may carry a call, and in which order they are tried. */
import { ServiceError } from '../../errors.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import type { Capability } from '../catalog/route-document.ts';
import type { Feature, Provider } from '../upstream/provider.ts';
import type { RouteChance } from './affinity.ts';
import type { RouteControls } from './route-controls.ts';

export interface Candidate {
  readonly model: Model;
  readonly route: Route;
}

const named = (names: readonly string[], { id, protocol }: Route) =>
  names.includes(id) || names.includes(protocol);

/** Weighted order without replacement (Efraimidis and Spirakis, 2006): the smallest of -ln(u)/w goes first. */
function draw(weight: number, chance: number): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - chance) / weight;
}

/** What a payload asks of a route: what the operator says that it can do, and what its protocol can say. */
export interface Demands {
  readonly needs: readonly Capability[];
  readonly features: readonly Feature[];
  readonly featureNames?: Readonly<Partial<Record<Feature, string>>>;
}

export interface RouteChoice {
  readonly models: readonly Model[];
  readonly demands: Demands;
  readonly controls: RouteControls;
  /** What each protocol can say; not asked for a payload without features. */
  readonly providers?: Readonly<Record<Route['protocol'], Pick<Provider, 'features'>>>;
  /** Decides between equal routes. */
  readonly chance: RouteChance;
}

/**
 * The models' routes that can carry the payload, model after model; within a model by the caller's order, then
 * priority, then weighted chance or what stands in its place. Throws 400 `unsupported_by_model` when no route can carry the payload and 400
 * `invalid_value` when the caller's own controls leave none.
 */
export function chooseRoutes(choice: RouteChoice): readonly Candidate[] {
  const { models, controls, chance } = choice;
  const able = models.map((model) => ({
    model,
    routes: model.routes.filter((route) => carries(route, choice)),
  }));
  if (able.every(({ routes }) => routes.length === 0)) {
    const { needs, features, featureNames } = choice.demands;
    const demanded = [
      ...needs,
      ...features.map((feature) => featureNames?.[feature] ?? DESCRIPTIONS[feature]),
    ].join(', ');
    throw new ServiceError('unsupported_by_model', `No route of this model supports ${demanded}.`, {
      param: 'model',
    });
  }
  const candidates = able.flatMap(({ model, routes }) =>
    routes
      .filter((route) => controls.only.length === 0 || named(controls.only, route))
      .filter((route) => !named(controls.ignore, route))
      .map((route) => ({ route, rank: rankOf(route, controls), place: draw(route.weight, chance(route)) }))
      .sort((a, b) => a.rank - b.rank || a.route.priority - b.route.priority || a.place - b.place)
      .map(({ route }) => ({ model, route })),
  );
  if (candidates.length === 0) {
    throw new ServiceError('invalid_value', 'These routing controls leave no route for this model.', {
      param: 'provider',
    });
  }
  return controls.allowFallbacks ? candidates : candidates.slice(0, 1);
}

/** What a caller knows the features as. */
const DESCRIPTIONS: Readonly<Record<Feature, string>> = {
  choices: 'n above 1',
  'image-urls': 'images by URL',
  'stop-sequences': 'stop sequences',
  'messages-blocks': 'this kind of content block or tool',
  'responses-items': 'this kind of item or tool',
};

function carries({ capabilities, protocol }: Route, { demands, providers }: RouteChoice): boolean {
  return (
    demands.needs.every((need) => capabilities.includes(need)) &&
    demands.features.every((feature) => providers?.[protocol].features.has(feature) === true)
  );
}

function rankOf(route: Route, { order }: RouteControls): number {
  const index = order.findIndex((name) => name === route.id || name === route.protocol);
  return index === -1 ? order.length : index;
}
