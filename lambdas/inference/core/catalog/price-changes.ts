/**
 * The changes between two catalogs for those who pay. Every rate is compared as calls meet it. If a price is removed
 * and another one applies in its place, that counts as a change.
 */

import type { NanoUsd } from '../../../platform/core/money.ts';
import { type PricingContext, rateOf, ratesOf } from '../pricing/bill.ts';
import type { TokenItem } from '../pricing/counts.ts';
import type { Prices, TokenPrices } from '../pricing/prices.ts';
import type { CatalogDocument, Model } from './catalog-document.ts';
import { aboveOf, isOnRequest, priceValuesOf, rateNameOf } from './price-values.ts';

/** A rise or fall by more than a fifth wants to be confirmed by the model's id. */
const PERCENT = 20n;

export interface RateChange {
  readonly rate: string;
  /** Undefined if calls that request it were rejected, or will be. */
  readonly before: NanoUsd | undefined;
  readonly after: NanoUsd | undefined;
  /** Rises or falls by more than 20 %, or has another unit. */
  readonly large: boolean;
}

export interface ModelChange {
  readonly model: string;
  readonly changes: readonly RateChange[];
}

export interface CatalogChange {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  readonly changed: readonly ModelChange[];
}

/**
 * Models added and removed, and every rate that is another for those who call by a name of the old catalog: by an id, or
 * by an alias that leads to another model now.
 */
export function catalogChange(before: CatalogDocument, after: CatalogDocument): CatalogChange {
  const [old, now] = [before, after].map(({ models }) => new Set(models.map(({ id }) => id)));
  const byName = new Map(
    after.models.flatMap((model) => [model.id, ...model.aliases].map((name) => [name, model])),
  );
  const names = before.models.flatMap((model) =>
    [model.id, ...model.aliases].map((name) => ({ name, model })),
  );
  return {
    added: after.models.flatMap(({ id }) => (old?.has(id) ? [] : [id])),
    removed: before.models.flatMap(({ id }) => (now?.has(id) ? [] : [id])),
    changed: names.flatMap(({ name, model }) => {
      const target = byName.get(name);
      if (target === undefined || (name !== model.id && target.id === model.id)) return [];
      const changes = [...priceChanges(model.price, target.price), ...countChanges(model, target)];
      return changes.length === 0 ? [] : [{ model: name, changes }];
    }),
  };
}

/** The models with a change that must be confirmed. */
export const largeChanges = ({ changed }: CatalogChange): readonly string[] =>
  changed.flatMap(({ model, changes }) => (changes.some(({ large }) => large) ? [model] : []));

/** The characters of a token, in billionths, if they change: they scale the price of a text. */
function countChanges(before: Model, after: Model): readonly RateChange[] {
  const [old, now] = [before, after].map(({ characters_per_token: characters }) =>
    characters === undefined ? undefined : BigInt(Math.round(characters * 1e9)),
  );
  return old === now ? [] : [{ rate: 'characters_per_token', before: old, after: now, large: true }];
}

/** Every rate that calls meet, where it changes. */
export function priceChanges(before: Prices, after: Prices): readonly RateChange[] {
  const [old, now] = [priceValuesOf(before), priceValuesOf(after)];
  if (before.unit !== after.unit)
    return [...new Set([...old.keys(), ...now.keys()])].map((rate) => ({
      rate,
      before: old.get(rate),
      after: now.get(rate),
      large: true,
    }));
  const names = new Set([...old.keys(), ...now.keys()].flatMap((name) => withTiers(name, [old, now])));
  return [...names].flatMap((rate) => {
    const change = { rate, before: effective(before, rate), after: effective(after, rate) };
    return change.before === change.after ? [] : [{ ...change, large: isLarge(change.before, change.after) }];
  });
}

/** A rate that only one of the two has in a tier is compared in that tier. */
function withTiers(name: string, both: readonly ReadonlyMap<string, unknown>[]): readonly string[] {
  const starts = new Set(both.flatMap((values) => [...values.keys()].map(aboveOf)));
  if (aboveOf(name) > 0 || !isTokenRate(name)) return [name];
  return [...starts].map((above) => (above === 0 ? name : inTier(name, above)));
}

const inTier = (name: string, above: number): string =>
  name.replace(/^(service_tiers\.[^.]+\.)?/, (service) => `${service}tiers.${above}.`);

const isTokenRate = (name: string): boolean =>
  /^(cached_)?(input|output|reasoning_output|(audio|image|video)_(input|output))$|^cache_writes\./.test(
    rateNameOf(name).replace(/^service_tiers\.[^.]+\./, ''),
  );

/** Returns the amount that a call pays under a name. Undefined if the call would be rejected. */
function effective(prices: Prices, name: string): NanoUsd | undefined {
  const listedValue = priceValuesOf(prices).get(name);
  if (prices.unit !== 'per_million_tokens' || !isTokenRate(name)) return listedValue ?? standIn(prices, name);
  const service = /^service_tiers\.([^.]+)\./.exec(name)?.[1];
  if (service !== undefined && !Object.hasOwn(prices.service_tiers ?? {}, service)) return undefined;
  const rate = rateNameOf(name).replace(/^service_tiers\.[^.]+\./, '');
  if (isOnRequest(rate) && !priceValuesOf(prices).has(rate)) return undefined;
  return charged(prices, rate, { above: aboveOf(name), context: { serviceTier: service } });
}

/** Returns the price that a call meets if a price that is not a token rate is left out. */
function standIn(prices: Prices, name: string): NanoUsd | undefined {
  if (name.startsWith('variants.')) return priceValuesOf(prices).get('image');
  return isOnRequest(name) ? undefined : 0n;
}

function charged(
  prices: TokenPrices,
  rate: string,
  { above, context }: { readonly above: number; readonly context: PricingContext },
): NanoUsd {
  const item = rate.replace(/^cache_writes\./, 'cache_write_') as TokenItem;
  return rateOf(ratesOf(prices, above === 0 ? 0 : above + 1, context), item);
}

function isLarge(before: NanoUsd | undefined, after: NanoUsd | undefined): boolean {
  if (before === undefined || after === undefined) return false;
  const difference = after > before ? after - before : before - after;
  return difference * 100n > before * PERCENT;
}

/**
 * Returns the ratio of the new amount to the old one, to four places. Null if one of them is missing or the old one is
 * zero.
 */
export function factorText(before: NanoUsd | undefined, after: NanoUsd | undefined): string | null {
  if (before === undefined || after === undefined || before === 0n) return null;
  const scaled = (after * 10_000n + before / 2n) / before;
  return `${scaled / 10_000n}.${String(scaled % 10_000n).padStart(4, '0')}`.replace(/\.?0+$/, '');
}
