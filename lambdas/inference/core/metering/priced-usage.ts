/** The cost of tokens on a model, according to the billable items of the call. */
import type { BillBasis } from '../../../ledger/core/usage-record.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { CatalogRoute, Model } from '../catalog/catalog-document.ts';
import { type Bill, billOf, type PricingContext } from '../pricing/bill.ts';
import {
  type BillableItem,
  type Counts,
  tokenCounts,
  type UnitCounts,
  unitCounts,
} from '../pricing/counts.ts';
import { type CachePeriod, LIFETIMES, type TokenPrices } from '../pricing/prices.ts';
import type { Terms } from '../pricing/terms.ts';
import { STANDARD, type TokenUsage } from '../pricing/token-usage.ts';

/** The prices of a chat model. Throws when it is billed by another unit: the catalog rules that out. */
export function tokenPrices({ id, price }: Pick<Model, 'id' | 'price'>): TokenPrices {
  if (price.unit !== 'per_million_tokens') throw new Error(`${id} is not billed by tokens`);
  return price;
}

export interface PricedUsage extends Bill {
  readonly counts: Counts;
  readonly served: PricingContext;
}

/** Bills what a route reports, as far as the terms of the call make it possible. */
export function priceUsage(prices: TokenPrices, terms: Terms, usage: TokenUsage): PricedUsage {
  const reported = { ...usage, cacheWrites: writesOf(prices, terms, usage) };
  const counts = new Map<BillableItem, number>(tokenCounts(reported, (item) => terms.items.has(item)));
  for (const [name, most] of terms.uses) {
    const reported = usage.uses !== undefined && Object.hasOwn(usage.uses, name) ? usage.uses[name] : 0;
    const fewest = prices.features?.[name]?.min_uses;
    const used = Math.min(Math.max(reported ?? 0, fewest ?? 0), most);
    if (used > 0) counts.set(`feature:${name}`, used);
  }
  const served = servedOf(terms, usage);
  return { counts, served, ...billOf(prices, counts, served) };
}

/** Writes of no lifetime, or of one that the request does not ask for, are of the dearest one that it does, if of any. */
function writesOf({ cache_writes: rates = {} }: TokenPrices, { items }: Terms, { cacheWrites }: TokenUsage) {
  const asked = LIFETIMES.filter((lifetime) => lifetime !== 'auto' && items.has(`cache_write_${lifetime}`));
  const [first, ...others] = asked;
  if (cacheWrites === undefined || first === undefined) return cacheWrites;
  const dearest = others.reduce((a, b) => ((rates[b] ?? 0n) > (rates[a] ?? 0n) ? b : a), first);
  const writes: Partial<Record<CachePeriod, number>> = {};
  for (const lifetime of LIFETIMES) {
    const own = asked.includes(lifetime) ? lifetime : dearest;
    writes[own] = (writes[own] ?? 0) + (cacheWrites[lifetime] ?? 0);
  }
  return writes;
}

/**
 * Returns the tier and region that served: the requested ones or the standard. Without a report, the route served as
 * requested.
 */
function servedOf({ asked }: Terms, { serviceTier, region }: TokenUsage): PricingContext {
  return {
    ...(asked.serviceTier === undefined || serviceTier === STANDARD
      ? {}
      : { serviceTier: asked.serviceTier }),
    ...(asked.region === undefined || region === STANDARD ? {} : { region: asked.region }),
  };
}

/** Bills a call of a kind other than chat. */
export function priceMeasured({ price }: Pick<Model, 'price'>, measured: UnitCounts): PricedUsage {
  const counts = unitCounts(price.unit, measured);
  return { counts, served: {}, ...billOf(price, counts) };
}

/** Returns the cost of a call of a kind other than chat. */
export const measuredCost = (model: Pick<Model, 'price'>, measured: UnitCounts): NanoUsd =>
  priceMeasured(model, measured).amount;

/** Returns the part of a bill that a record stores, from which the bill can be computed again. */
export function billBasis(
  { lines, amount, counts, served }: PricedUsage,
  {
    cost,
    catalog,
    route,
  }: { readonly cost: NanoUsd; readonly catalog: string; readonly route: Pick<CatalogRoute, 'cost'> },
): BillBasis {
  const providerCost = route.cost === undefined ? undefined : billOf(route.cost, counts, served).amount;
  return {
    lines,
    waived: amount - cost,
    catalog,
    ...served,
    ...(providerCost === undefined ? {} : { providerCost }),
  };
}
