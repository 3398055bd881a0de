/**
 * The catalog compared with reference prices: a catalog document whose prices are newer. What a provider takes, by the
 * reference, is the `cost` of a route there, or the price of its model where the route has none.
 */

import type { CatalogDocument, CatalogRoute, Model } from '../../inference/core/catalog/catalog-document.ts';
import { type BillableRange, type LowRate, lowRates } from '../../inference/core/pricing/low-rates.ts';
import type { Prices } from '../../inference/core/pricing/prices.ts';
import { divideUp, toFraction } from '../../platform/core/money.ts';

/** Reference prices that were read longer ago are too old to be relied on. */
export const MAX_AGE_SECONDS = 30 * 24 * 3600;

export interface PriceFindings {
  readonly model: string;
  readonly route: string;
  /** Rates that the model is sold at, below what the provider takes. */
  readonly passed: readonly LowRate[];
  /** Rates of the route's recorded cost, below what the provider takes. */
  readonly outdated: readonly LowRate[];
}

export interface PriceComparison {
  /** Routes that have a reference price. */
  readonly compared: number;
  /** Routes that have none, or one that counts something else. */
  readonly notCompared: number;
  /** Routes of which at least one rate is too low. */
  readonly findings: readonly PriceFindings[];
}

/**
 * Compares every route of the catalog. A fallback that has a cost may be dearer than its model's price,
 * as the operator has written down: its cost alone is compared.
 */
export function comparePrices(catalog: CatalogDocument, reference: CatalogDocument): PriceComparison {
  const referencePricesOf = providerPrices(reference);
  let notCompared = 0;
  let compared = 0;
  const findings: PriceFindings[] = [];
  for (const model of catalog.models) {
    for (const route of model.routes) {
      const prices = referencePricesOf(model, route);
      const routeFindings = prices === undefined ? undefined : compareRoute(model, route, prices);
      if (routeFindings === undefined) notCompared += 1;
      else compared += 1;
      if (routeFindings !== undefined && routeFindings.passed.length + routeFindings.outdated.length > 0)
        findings.push(routeFindings);
    }
  }
  return { compared, notCompared, findings };
}

function compareRoute(model: Model, route: CatalogRoute, referencePrices: Prices): PriceFindings | undefined {
  const range: BillableRange = { sold: model.price, longestPrompt: model.context_window };
  const isFallback = model.routes.some(({ priority }) => priority < route.priority);
  const cost = route.cost && asSold(route.cost, model);
  const reference = asSold(referencePrices, model);
  const passed = isFallback && cost !== undefined ? [] : lowRates(model.price, reference, range);
  const outdated = cost === undefined ? [] : lowRates(cost, reference, range);
  if (passed === undefined || outdated === undefined) return undefined;
  return { model: model.id, route: route.id, passed, outdated };
}

/** Returns prices by the character as those of the tokens that the model sells for so many characters each. */
function asSold(prices: Prices, { price, characters_per_token: perToken }: Model): Prices {
  if (
    prices.unit !== 'per_million_characters' ||
    price.unit !== 'per_million_tokens' ||
    perToken === undefined
  )
    return prices;
  const { numerator, denominator } = toFraction(perToken);
  return { unit: price.unit, input: divideUp(prices.character * numerator, denominator) };
}

/**
 * Returns when the prices of a document were read, in seconds since the epoch: on the latest day that it names. If it
 * names no day or a later one, the result is the time at which it was given.
 */
export function pricesReadAt({ models }: CatalogDocument, givenSeconds: number): number {
  const days = models.flatMap(({ price_source: read }) =>
    read === undefined ? [] : Date.parse(read.as_of) / 1000,
  );
  const latest = days.reduce<number | undefined>((last, day) => Math.max(last ?? day, day), undefined);
  return Math.min(givenSeconds, latest ?? givenSeconds);
}

/** Returns the route that is attempted first. */
const firstOf = ({ routes }: Model): CatalogRoute | undefined =>
  routes.reduce<CatalogRoute | undefined>(
    (first, route) => (first === undefined || route.priority < first.priority ? route : first),
    undefined,
  );

/**
 * Returns a function that reads the prices of a route's provider from the reference. It uses the first of these
 * matches:
 * - the route with the same protocol, address and upstream model
 * - the route with the same protocol and upstream model, if the reference has it at one address
 * - the model with the same id
 */
function providerPrices({
  models,
}: CatalogDocument): (model: Model, route: CatalogRoute) => Prices | undefined {
  const atAddress = new Map<string, Prices>();
  const anywhere = new Map<string, { readonly address: string; readonly prices: Prices | undefined }>();
  const byModel = new Map<string, Prices>();
  for (const model of models) {
    byModel.set(`${model.type} ${model.id}`, firstOf(model)?.cost ?? model.price);
    for (const route of model.routes) {
      const [upstreamKey, address, prices] = [
        upstreamKeyOf(model, route),
        route.base_url,
        route.cost ?? model.price,
      ];
      if (!atAddress.has(`${address} ${upstreamKey}`)) atAddress.set(`${address} ${upstreamKey}`, prices);
      const other = anywhere.get(upstreamKey);
      if (other === undefined) anywhere.set(upstreamKey, { address, prices });
      else if (other.address !== address)
        anywhere.set(upstreamKey, { address: other.address, prices: undefined });
    }
  }
  return (model, route) => {
    const upstreamKey = upstreamKeyOf(model, route);
    return (
      atAddress.get(`${route.base_url} ${upstreamKey}`) ??
      anywhere.get(upstreamKey)?.prices ??
      byModel.get(`${model.type} ${model.id}`)
    );
  };
}

const upstreamKeyOf = ({ type }: Model, { protocol, upstream_model: upstreamModel }: CatalogRoute): string =>
  `${type} ${protocol} ${upstreamModel}`;
