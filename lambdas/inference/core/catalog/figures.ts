/**
 * Prices as a flat list of figures, each under one name: `input`, `cache_writes.5m`, `tiers.200000.output`,
 * `service_tiers.priority.input`, `features.web_search.price`. In this shape prices of several sources, or of two
 * catalogs, are compared name by name. Amounts are nano-USD, factors billionths.
 */
import * as z from 'zod';
import { divideUp, formatUsd, type NanoUsd } from '../../../platform/core/money.ts';
import { type Prices, type PriceUnit, prices } from '../pricing/prices.ts';

export type Figures = ReadonlyMap<string, NanoUsd>;

/** The figures of validated prices. A list of tiers is named by where each begins, an image by quality and size. */
export function figuresOf({ unit: _unit, ...rest }: Prices): Figures {
  const figures = new Map<string, NanoUsd>();
  const walk = (value: unknown, path: readonly string[]): void => {
    if (typeof value === 'bigint') figures.set(path.join('.'), value);
    else if (Array.isArray(value)) for (const each of value) walk(each, [...path, nameOf(each)]);
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) walk(each, [...path, name]);
  };
  walk(rest, []);
  return figures;
}

function nameOf(entry: object): string {
  if ('above' in entry) return String(entry.above);
  const { quality = '', size = '' } = entry as { readonly quality?: string; readonly size?: string };
  return `${quality}:${size}`;
}

/** A price in the format of a catalog file, amounts as decimal text. */
export type PriceDocument = Readonly<Record<string, unknown>>;

interface Level {
  [name: string]: unknown;
  tiers?: Level[];
}

/** The price that these figures make, as a catalog file has it. Figures of images by quality and size are not taken. */
export function priceDocument(unit: PriceUnit, figures: Figures): PriceDocument {
  const root: Level = { unit };
  for (const [name, amount] of [...figures].sort(byTier)) {
    let level = root;
    const steps = name.split('.');
    const last = steps.pop() ?? '';
    for (let step = steps.shift(); step !== undefined; step = steps.shift())
      level = step === 'tiers' ? tierOf(level, Number(steps.shift())) : inner(level, step);
    level[last] = formatUsd(amount);
  }
  return root;
}

/** Tiers in the order in which they begin, all else as it came. */
const byTier = ([a]: [string, NanoUsd], [b]: [string, NanoUsd]): number => aboveOf(a) - aboveOf(b);

/** The prompt length above which a figure is the rate; 0 for the rate of every prompt. */
export const aboveOf = (name: string): number => Number(/(?:^|\.)tiers\.(\d+)\./.exec(name)?.[1] ?? 0);

/** The name of a figure without the tier that it is the rate of. */
export const rateNameOf = (name: string): string => name.replace(/(^|\.)tiers\.\d+\./, '$1');

function inner(level: Level, step: string): Level {
  const found = (level[step] ?? {}) as Level;
  level[step] = found;
  return found;
}

function tierOf(level: Level, above: number): Level {
  level.tiers ??= [];
  const found = level.tiers.find((tier) => tier.above === above) ?? { above };
  if (!level.tiers.includes(found)) level.tiers.push(found);
  return found;
}

/** The validated price that these figures make, or what is wrong with it. */
export function pricesFrom(
  unit: PriceUnit,
  figures: Figures,
): { readonly prices: Prices } | { readonly problem: string } {
  const result = prices.safeParse(priceDocument(unit, figures));
  if (result.success) return { prices: result.data };
  return { problem: z.prettifyError(result.error).replaceAll('\n', ' ') };
}

/** Every amount times a factor (a fraction), rounded up to a nano-dollar; factors and bounds stay as they are. */
export const times = (figures: Figures, numerator: bigint, denominator: bigint): Figures =>
  new Map(
    [...figures].map(([name, amount]) => [
      name,
      name.endsWith('factor') ? amount : divideUp(amount * numerator, denominator),
    ]),
  );

/** Figures as decimal text, for a report. */
export const figuresText = (figures: Figures): Record<string, string> =>
  Object.fromEntries([...figures].map(([name, amount]) => [name, formatUsd(amount)]));

const ASKED_FOR =
  /^(service_tiers|regions|features)\.|^cache_writes\.(5m|30m|1h|24h)$|^(cached_)?audio_|^video_/;

/**
 * Returns whether a call must request the item that the figure is the price of. Without the price, the call is rejected
 * and not sold at another price.
 */
export const isAskedFor = (name: string): boolean => ASKED_FOR.test(rateNameOf(name));
