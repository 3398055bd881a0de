/** The routes that can serve a call at a price that its caller allows, in the order of their attempts. */
import { ServiceError } from '../../../platform/core/errors.ts';
import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import { greatest, type NanoUsd } from '../../../platform/core/money.ts';
import type { Candidate, CatalogRoute, Model } from '../catalog/catalog-document.ts';
import type { BillableItems } from '../pricing/billable-items.ts';
import type { ChatPayload } from '../upstream/provider.ts';
import type { RouteChance } from './affinity.ts';
import { missingSupport, type UnmetNeed } from './missing-support.ts';
import type { RouteControls, TokenPrice } from './route-controls.ts';
import { checkSupport, ignoredFields, type Providers, type RoutedPayload } from './route-support.ts';

/** A candidate with what the call may be billed by there. */
export interface PricedCandidate extends Candidate {
  readonly billableItems: BillableItems;
}

const named = (names: readonly string[], { id, protocol }: CatalogRoute) =>
  names.includes(id) || names.includes(protocol);

/** Weighted order without replacement (Efraimidis and Spirakis, 2006): the smallest of -ln(u)/w goes first. */
function draw(weight: number, chance: number): number {
  return weight === 0 ? Number.POSITIVE_INFINITY : -Math.log(1 - chance) / weight;
}

interface RoutedRequest {
  readonly payload: RoutedPayload & Pick<ChatPayload, 'headers'>;
  /** The request as its caller sent it, for `require_parameters`. */
  readonly request: JsonObject;
  readonly providers: Providers;
}

export interface RouteChoice {
  readonly models: readonly Model[];
  readonly call: RoutedRequest;
  readonly controls: RouteControls;
  /** Decides between equal routes. */
  readonly chance: RouteChance;
}

/**
 * Returns the models' routes that can handle the call, in order of the models. Within a model, the order is: the
 * caller's order and sort, then priority, then weighted chance or its replacement. Throws 400:
 * - `unpriced_feature` with the field, if only a price is missing.
 * - `unsupported_by_model`, if no route can handle the call.
 * - `invalid_value`, if the caller's controls leave no route.
 */
export function chooseRoutes(choice: RouteChoice): readonly PricedCandidate[] {
  const { controls } = choice;
  const models = affordable(choice.models, controls);
  const allowed = (controls.sort === 'price' ? byPrice(models) : models).flatMap((model) =>
    inOrder(
      model.routes
        .filter((route) => controls.only.length === 0 || named(controls.only, route))
        .filter((route) => !named(controls.ignore, route)),
      choice,
    ).map((route) => ({ model, route })),
  );
  if (allowed.length === 0) {
    throw new ServiceError('invalid_value', 'These routing controls leave no route for this model.', {
      param: 'provider',
    });
  }
  const candidates = complete(able(allowed, choice), choice);
  return controls.allow_fallbacks ? candidates : candidates.slice(0, 1);
}

/** The candidates that can serve the call. Throws 400 if there are none. */
function able(candidates: readonly Candidate[], { call }: RouteChoice): readonly PricedCandidate[] {
  const unmetNeeds: UnmetNeed[] = [];
  const pricedCandidates = candidates.flatMap(({ model, route }): PricedCandidate[] => {
    const support = checkSupport({ model, route }, call.payload, call.providers);
    if ('billableItems' in support) return [{ model, route, billableItems: support.billableItems }];
    unmetNeeds.push({ model, need: support.unmetNeed });
    return [];
  });
  if (pricedCandidates.length > 0) return pricedCandidates;
  throw missingSupport(unmetNeeds, call.payload.body ?? call.request);
}

/** The candidates that get every field, if the caller wants no others. Throws 400 if there are none. */
function complete(
  candidates: readonly PricedCandidate[],
  { controls, call }: RouteChoice,
): readonly PricedCandidate[] {
  const [first] = candidates;
  if (controls.require_parameters !== true || first === undefined) return candidates;
  const ignoredBy = ({ route }: Candidate) => ignoredFields(route, call.payload, call.request);
  const complete = candidates.filter((candidate) => ignoredBy(candidate).size === 0);
  if (complete.length > 0) return complete;
  const names = [...ignoredBy(first)].slice(0, MAX_NAMES).join(', ');
  throw new ServiceError(
    'unsupported_by_model',
    `provider.require_parameters: no route of this model carries all fields of the request; left out would be ${names}.`,
    { param: 'provider.require_parameters' },
  );
}

/** A request may have as many undocumented fields as it has values. */
const MAX_NAMES = 20;

/** Returns the routes of one model in the order of their attempts. A single route needs no draw. */
const inOrder = (routes: readonly CatalogRoute[], choice: RouteChoice): readonly CatalogRoute[] =>
  routes.length < 2
    ? routes
    : routes
        .map((route) => sortKeysOf(route, choice))
        .sort((a, b) => a.rank - b.rank || a.priority - b.priority || a.drawKey - b.drawKey)
        .map(({ route }) => route);

/** Returns the keys by which a route is sorted. */
function sortKeysOf(route: CatalogRoute, { controls, chance }: RouteChoice) {
  return {
    route,
    rank: rankOf(route, controls),
    priority: route.priority,
    drawKey: draw(route.weight, chance(route)),
  };
}

function rankOf(route: CatalogRoute, { order }: RouteControls): number {
  const index = order.findIndex((name) => name === route.id || name === route.protocol);
  return index === -1 ? order.length : index;
}

/** Returns the highest standard rates of text for any length of the prompt. Undefined if no tokens are billed. */
function tokenPriceOf({ price }: Model): TokenPrice | undefined {
  if (price.unit !== 'per_million_tokens') return undefined;
  const { tiers = [] } = 'tiers' in price ? price : {};
  const rates = [price, ...tiers];
  const outputs = rates.flatMap(({ input, output = input, reasoning_output: reasoning = output }) => [
    output,
    reasoning,
  ]);
  return {
    prompt: rates.map(({ input }) => input).reduce(greatest),
    completion: outputs.reduce(greatest),
  };
}

/** The models that cost no more than the caller allows. Throws 400 `invalid_value` when there are none. */
function affordable(
  models: readonly Model[],
  { max_price: limit }: Pick<RouteControls, 'max_price'>,
): readonly Model[] {
  if (limit == null) return models;
  const { prompt, completion } = limit;
  const within = models.filter((model) => {
    const price = tokenPriceOf(model);
    if (price === undefined) return false;
    const isPrompt = prompt == null || price.prompt <= prompt;
    return isPrompt && (completion == null || price.completion <= completion);
  });
  const [first] = models;
  if (within.length > 0 || first === undefined) return within;
  const reason =
    tokenPriceOf(first) === undefined ? 'is not billed by tokens of text' : 'costs more a million tokens';
  throw new ServiceError('invalid_value', `provider.max_price: ${first.id} ${reason}.`, {
    param: 'provider.max_price',
  });
}

/**
 * Sorts the models by the sum of their prompt and completion token prices, lowest first. Equal models keep their order.
 */
function byPrice(models: readonly Model[]): readonly Model[] {
  const sum = (model: Model): NanoUsd | undefined => {
    const price = tokenPriceOf(model);
    return price && price.prompt + price.completion;
  };
  return [...models].sort((a, b) => {
    const [first, second] = [sum(a), sum(b)];
    if (first === undefined || second === undefined || first === second) return 0;
    return first < second ? -1 : 1;
  });
}
