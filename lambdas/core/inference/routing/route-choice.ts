/** Which routes may carry a call, and in which order they are tried. */
import { ServiceError } from '../../errors.ts';
import type { Model, Route } from '../catalog/catalog-document.ts';
import { type Capability, isCapable } from '../catalog/route-document.ts';
import type { Feature, Provider } from '../upstream/provider.ts';
import type { RouteChance } from './affinity.ts';
import { affordable, byPrice } from './price-limit.ts';
import { type AskedFields, leftOutBy } from './required-parameters.ts';
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
  /** For `require_parameters`. */
  readonly asked?: AskedFields;
}

/**
 * The models' routes that can carry the payload, model after model; within a model by the caller's order and sort, then
 * priority, then weighted chance or what stands in its place. Throws 400 `unsupported_by_model` when no route can carry
 * the payload and 400 `invalid_value` when the caller's own controls leave none.
 */
export function chooseRoutes(choice: RouteChoice): readonly Candidate[] {
  const { controls } = choice;
  const models = affordable(choice.models, controls);
  const able = (controls.sort === 'price' ? byPrice(models) : models).map((model) => ({
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
  const allowed = able.flatMap(({ model, routes }) =>
    routes
      .filter((route) => controls.only.length === 0 || named(controls.only, route))
      .filter((route) => !named(controls.ignore, route))
      .map((route) => placed(route, choice))
      .sort((a, b) => a.rank - b.rank || a.priority - b.priority || a.place - b.place)
      .map(({ route }) => ({ model, route })),
  );
  const candidates = complete(allowed, choice);
  if (candidates.length === 0) {
    throw new ServiceError('invalid_value', 'These routing controls leave no route for this model.', {
      param: 'provider',
    });
  }
  return controls.allowFallbacks ? candidates : candidates.slice(0, 1);
}

/** The candidates that leave out nothing, where the caller wants no others. Throws 400 when there are none. */
function complete(candidates: readonly Candidate[], { controls, asked }: RouteChoice): readonly Candidate[] {
  const [first] = candidates;
  if (controls.requireParameters !== true || asked === undefined || first === undefined) return candidates;
  const kept = candidates.filter(({ route }) => leftOutBy(route, asked).length === 0);
  if (kept.length > 0) return kept;
  const names = leftOutBy(first.route, asked).join(', ');
  throw new ServiceError(
    'unsupported_by_model',
    `provider.require_parameters: no route of this model carries all fields of the request; left out would be ${names}.`,
    { param: 'provider.require_parameters' },
  );
}

/** What a route's place is decided by. */
function placed(route: Route, { controls, chance }: RouteChoice) {
  return {
    route,
    rank: rankOf(route, controls),
    priority: route.priority,
    place: draw(route.weight, chance(route)),
  };
}

/** What a caller knows the features as. */
const DESCRIPTIONS: Readonly<Record<Feature, string>> = {
  choices: 'n above 1',
  'image-urls': 'images by URL',
  documents: 'PDF documents',
  'document-urls': 'documents by URL',
  audio: 'audio in messages',
  'stop-sequences': 'stop sequences',
  'messages-blocks': 'this kind of content block or tool',
  'responses-items': 'this kind of item or tool',
};

function carries(route: Route, { demands, providers }: RouteChoice): boolean {
  const { protocol } = route;
  return (
    demands.needs.every((need) => isCapable(route, need)) &&
    demands.features.every((feature) => providers?.[protocol].features.has(feature) === true)
  );
}

function rankOf(route: Route, { order }: RouteControls): number {
  const index = order.findIndex((name) => name === route.id || name === route.protocol);
  return index === -1 ? order.length : index;
}
