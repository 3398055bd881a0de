/** Which routes may carry a call, and in which order they are tried. */
import { ServiceError } from '../errors.ts';
import type { RandomSource } from '../ports.ts';
import type { Capability, Model, Route } from './catalog-document.ts';

/** The caller's say in routing; names are route ids or protocols. */
export interface RouteControls {
  readonly order: readonly string[];
  readonly only: readonly string[];
  readonly ignore: readonly string[];
  /** False: one candidate is tried, and its failure is the caller's answer. */
  readonly allowFallbacks: boolean;
}

export const NO_CONTROLS: RouteControls = { order: [], only: [], ignore: [], allowFallbacks: true };

export interface Candidate {
  readonly model: Model;
  readonly route: Route;
}

const named = (names: readonly string[], { id, protocol }: Route) =>
  names.includes(id) || names.includes(protocol);

/** Weighted order without replacement (Efraimidis and Spirakis, 2006): the smallest of -ln(u)/w goes first. */
function draw(weight: number, random: RandomSource): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - random()) / weight;
}

/**
 * The models' routes that support everything in `needs`, model after model; within a model by the caller's order,
 * then priority, then weighted chance. Throws 400 `unsupported_by_model` when no route can carry the payload and
 * 400 `invalid_value` when the caller's own controls leave none.
 */
export function chooseRoutes(
  models: readonly Model[],
  needs: readonly Capability[],
  controls: RouteControls,
  random: RandomSource,
): readonly Candidate[] {
  const able = models.map((model) => ({
    model,
    routes: model.routes.filter((route) => needs.every((need) => route.capabilities.includes(need))),
  }));
  if (able.every(({ routes }) => routes.length === 0)) {
    throw new ServiceError('unsupported_by_model', `No route of this model supports ${needs.join(', ')}.`, {
      param: 'model',
    });
  }
  const candidates = able.flatMap(({ model, routes }) =>
    routes
      .filter((route) => controls.only.length === 0 || named(controls.only, route))
      .filter((route) => !named(controls.ignore, route))
      .map((route) => ({ route, rank: rankOf(route, controls), chance: draw(route.weight, random) }))
      .sort((a, b) => a.rank - b.rank || a.route.priority - b.route.priority || a.chance - b.chance)
      .map(({ route }) => ({ model, route })),
  );
  if (candidates.length === 0) {
    throw new ServiceError('invalid_value', 'These routing controls leave no route for this model.', {
      param: 'provider',
    });
  }
  return controls.allowFallbacks ? candidates : candidates.slice(0, 1);
}

function rankOf(route: Route, { order }: RouteControls): number {
  const index = order.findIndex((name) => name === route.id || name === route.protocol);
  return index === -1 ? order.length : index;
}
