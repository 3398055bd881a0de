/**
 * Prices as a flat list of values, each with a unique name: `input`, `cache_writes.5m`, `tiers.200000.output`,
 * `service_tiers.priority.input`, `features.web_search.price`. In this form, prices of several sources or of two
 * catalogs are compared name by name. Amounts are in nano-USD, factors in billionths.
 */
import * as z from 'zod';
import { divideUp, formatUsd, type NanoUsd } from '../../../platform/core/money.ts';
import { type Prices, type PriceUnit, prices } from '../pricing/prices.ts';

export type PriceValues = ReadonlyMap<string, NanoUsd>;

/** Returns the values of validated prices. Tiers are named by their lower limit, image prices by quality and size. */
export function priceValuesOf({ unit: _unit, ...rest }: Prices): PriceValues {
  const values = new Map<string, NanoUsd>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'bigint') values.set(path.join('.'), value);
    else if (Array.isArray(value)) for (const each of value) walk(each, [...path, nameOf(each)]);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) walk(each, [...path, name]);
  };
  walk(rest, []);
  return values;
}

function nameOf(entry: object): string {
  if ('above' in entry) return String(entry.above);
  const { quality = '', size = '' } = entry as { readonly quality?: string; readonly size?: string };
  return `${quality}:${size}`;
}

/** A price in the format of a catalog file, amounts as decimal text. */
interface Level {
  [name: string]: unknown;
  tiers?: Level[];
}

/**
 * Returns the price of these values in the form of a catalog file. Values of images by quality and size are ignored.
 */
export function priceDocument(unit: PriceUnit, values: PriceValues): Level {
  const root: Level = { unit };
  for (const [name, amount] of [...values].sort(byTier)) {
    let level = root;
    const steps = name.split('.');
    const last = steps.pop() ?? '';
    for (let step = steps.shift(); step !== undefined; step = steps.shift())
      level = step === 'tiers' ? tierOf(level, Number(steps.shift())) : inner(level, step);
    level[last] = formatUsd(amount);
  }
  return root;
}

/** Sorts tiers by their lower limit and keeps the order of all other values. */
const byTier = ([a]: [string, NanoUsd], [b]: [string, NanoUsd]): number => aboveOf(a) - aboveOf(b);

/** Returns the prompt length above which a value is the rate. 0 if it is the rate of every prompt. */
export const aboveOf = (name: string): number => Number(/(?:^|\.)tiers\.(\d+)\./.exec(name)?.[1] ?? 0);

/** Returns the name of a value without its tier. */
export const rateNameOf = (name: string): string => name.replace(/(^|\.)tiers\.\d+\./, '$1');

function inner(level: Level, step: string): Level {
  const child = (level[step] ?? {}) as Level;
  level[step] = child;
  return child;
}

function tierOf(level: Level, above: number): Level {
  level.tiers ??= [];
  const tierLevel = level.tiers.find((tier) => tier.above === above) ?? { above };
  if (!level.tiers.includes(tierLevel)) level.tiers.push(tierLevel);
  return tierLevel;
}

/** Returns the validated price of these values, or its errors. */
export function pricesFrom(
  unit: PriceUnit,
  values: PriceValues,
): { readonly prices: Prices } | { readonly problem: string } {
  const result = prices.safeParse(priceDocument(unit, values));
  if (result.success) return { prices: result.data };
  return { problem: z.prettifyError(result.error).replaceAll('\n', ' ') };
}

/** Multiplies every amount by a fraction and rounds it up to a nano-dollar. Factors and limits stay unchanged. */
export const times = (values: PriceValues, numerator: bigint, denominator: bigint): PriceValues =>
  new Map(
    [...values].map(([name, amount]) => [
      name,
      name.endsWith('factor') ? amount : divideUp(amount * numerator, denominator),
    ]),
  );

/** Formats the values as decimal text for a report. */
export const formatPriceValues = (values: PriceValues): Record<string, string> =>
  Object.fromEntries([...values].map(([name, amount]) => [name, formatUsd(amount)]));

const ON_REQUEST =
  /^(service_tiers|regions|features)\.|^cache_writes\.(5m|30m|1h|24h)$|^(cached_)?audio_|^video_/;

/**
 * Returns whether a call must request the item that this value prices. Without the price, the call is rejected and not
 * sold at another price.
 */
export const isOnRequest = (name: string): boolean => ON_REQUEST.test(rateNameOf(name));
