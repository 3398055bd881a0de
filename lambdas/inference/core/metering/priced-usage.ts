/** The cost of tokens on a model, according to the billable items of the call. */
import type { BillBasis, CallOutcome } from '../../../ledger/core/usage-record.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import type { NanoUsd } from '../../../platform/core/money.ts';
import type { CatalogRoute, Model } from '../catalog/catalog-document.ts';
import { type Bill, billOf, imageItem, type PricingContext } from '../pricing/bill.ts';
import type { BillableItems } from '../pricing/billable-items.ts';
import {
  type BillableItem,
  type Counts,
  tokenCounts,
  type UnitCounts,
  unitCounts,
} from '../pricing/counts.ts';
import { type CachePeriod, LIFETIMES, type TokenPrices } from '../pricing/prices.ts';
import { STANDARD, type TokenUsage } from '../pricing/token-usage.ts';

/** The prices of a chat model. Throws when it is billed by another unit: the catalog rules that out. */
export function tokenPrices({ id, price }: Pick<Model, 'id' | 'price'>): TokenPrices {
  if (price.unit !== 'per_million_tokens') throw new Error(`${id} is not billed by tokens`);
  return price;
}

export interface PricedUsage extends Bill {
  readonly counts: Counts;
  readonly context: PricingContext;
}

/** Prices the usage that a route reports, if the billable items of the call include it. */
export function priceUsage(
  prices: TokenPrices,
  billableItems: BillableItems,
  usage: TokenUsage,
): PricedUsage {
  const reported = { ...usage, cacheWrites: writesOf(prices, billableItems, usage) };
  const counts = new Map<BillableItem, number>(
    tokenCounts(reported, (item) => billableItems.items.has(item)),
  );
  for (const [name, maxUses] of billableItems.uses) {
    const reported = usage.uses !== undefined && Object.hasOwn(usage.uses, name) ? usage.uses[name] : 0;
    const minUses = prices.features?.[name]?.min_uses;
    const used = Math.min(Math.max(reported ?? 0, minUses ?? 0), maxUses);
    if (used > 0) counts.set(`feature:${name}`, used);
  }
  // The provider judged the prompt, although no model received it.
  if (usage.isBlocked === true) counts.set('request', 1);
  const context = pricingContextOf(billableItems, usage);
  return { counts, context, ...billOf(prices, counts, context) };
}

/**
 * Returns the cache writes by their billed lifetime. Writes of an unknown or unrequested lifetime are billed at the
 * highest requested rate, if any was requested.
 */
function writesOf(
  { cache_writes: rates = {} }: TokenPrices,
  { items }: BillableItems,
  { cacheWrites }: TokenUsage,
) {
  const requestedLifetimes = LIFETIMES.filter(
    (lifetime) => lifetime !== 'auto' && items.has(`cache_write_${lifetime}`),
  );
  const [first, ...otherLifetimes] = requestedLifetimes;
  if (cacheWrites === undefined || first === undefined) return cacheWrites;
  const highestPriced = otherLifetimes.reduce((a, b) => ((rates[b] ?? 0n) > (rates[a] ?? 0n) ? b : a), first);
  const writes: Partial<Record<CachePeriod, number>> = {};
  for (const lifetime of LIFETIMES) {
    const billedLifetime = requestedLifetimes.includes(lifetime) ? lifetime : highestPriced;
    writes[billedLifetime] = (writes[billedLifetime] ?? 0) + (cacheWrites[lifetime] ?? 0);
  }
  return writes;
}

/**
 * Returns the tier and region that the route used: the requested ones or the standard. Without a report, the requested
 * ones are assumed.
 */
function pricingContextOf(
  { requestedContext }: BillableItems,
  { serviceTier, region }: TokenUsage,
): PricingContext {
  return {
    ...(requestedContext.serviceTier === undefined || serviceTier === STANDARD
      ? {}
      : { serviceTier: requestedContext.serviceTier }),
    ...(requestedContext.region === undefined || region === STANDARD
      ? {}
      : { region: requestedContext.region }),
  };
}

/** Bills a call of a kind other than chat. */
export function priceMeasured({ price }: Pick<Model, 'price'>, measured: UnitCounts): PricedUsage {
  const counts = unitCounts(price.unit, measured);
  return { counts, context: {}, ...billOf(price, counts) };
}

/** Returns the cost of a call of a kind other than chat. */
export const measuredCost = (model: Pick<Model, 'price'>, measured: UnitCounts): NanoUsd =>
  priceMeasured(model, measured).amount;

/** The least that a call can count, whichever unit its model is billed by. */
const LEAST: UnitCounts = { tokens: 1, characters: 1, seconds: 1, images: new Map([[imageItem('', ''), 1]]) };

/** Returns whether every model of the kind has a price, so that no call is free. */
export const isPaid = (models: readonly Model[], kind: Kind): boolean =>
  models.filter(({ type }) => type === kind).every((model) => measuredCost(model, LEAST) > 0n);

/** Returns the amount of a bill, and the part of it that a record stores, from which the bill can be computed again. */
export function billBasis(
  { lines, amount, counts, context }: PricedUsage,
  { catalog, route }: { readonly catalog: string; readonly route: Pick<CatalogRoute, 'cost'> },
): BillBasis & Pick<CallOutcome, 'amount'> {
  const providerCost = route.cost === undefined ? undefined : billOf(route.cost, counts, context).amount;
  return {
    lines,
    amount,
    catalog,
    ...context,
    ...(providerCost === undefined ? {} : { providerCost }),
  };
}
