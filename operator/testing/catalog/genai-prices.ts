/**
 * Prices of the package `@pydantic/genai-prices` (MIT), whose data is inside it: rates by unit, each with tiers of its
 * own, some by date or time of day. Its numbers are doubles; what is read is their shortest decimal form, which is what
 * was written in the package for up to 15 digits.
 */
import {
  calcPrice,
  type ModelInfo,
  type ModelPrice,
  type Provider,
  type TieredPrices,
} from '@pydantic/genai-prices';
import type { PriceUnit } from '../../../lambdas/inference/core/pricing/prices.ts';
import { PriceValueReader, type SourceModel, writeLifetime } from '../../catalog/sources/source.ts';

/** Rates of a million tokens, by the package's names; a cache write is that of the lifetime that the provider uses. */
const TOKEN_RATES: Readonly<Record<string, string>> = {
  input_mtok: 'input',
  output_mtok: 'output',
  cache_read_mtok: 'cached_input',
  cache_write_1h_mtok: 'cache_writes.1h',
  output_reasoning_mtok: 'reasoning_output',
  input_audio_mtok: 'audio_input',
  cache_audio_read_mtok: 'cached_audio_input',
  output_audio_mtok: 'audio_output',
  input_image_mtok: 'image_input',
  cache_image_read_mtok: 'cached_image_input',
  output_image_mtok: 'image_output',
  input_video_mtok: 'video_input',
  output_video_mtok: 'video_output',
};

/** Prices of a thousand. */
const THOUSANDS: Readonly<Record<string, string>> = {
  web_searches_kcount: 'features.web_search.price',
  storage_searches_kcount: 'features.file_search.price',
  requests_kcount: 'request',
};

/** The package has the same price under both: of the hours heard, and of those that were input. */
const HOURS: readonly string[] = ['audio_hours', 'input_audio_hours'];

type Price = number | TieredPrices;

/** A model of the package with its figures in the names of a catalog. */
export interface OracleModel extends Pick<SourceModel, 'priceValues' | 'problems'> {
  readonly unit: PriceUnit;
}

/** The prices of a model at one time, as the package gives them. */
function readModelPrice(provider: string, id: string, price: ModelPrice): OracleModel {
  const reader = new PriceValueReader();
  const entries = Object.entries(price).flatMap(([key, value]): [string, Price][] =>
    value === undefined ? [] : [[key, value]],
  );
  const unit: PriceUnit =
    entries.length > 0 && entries.every(([key]) => HOURS.includes(key)) ? 'per_hour' : 'per_million_tokens';
  for (const [key, value] of entries) {
    const isWrite = key === 'cache_write_mtok';
    const rate = isWrite ? `cache_writes.${writeLifetime({ name: provider }, id)}` : TOKEN_RATES[key];
    if (rate !== undefined) readRate(reader, { key, rate }, value);
    else readOther(reader, { key, unit }, value);
  }
  reader.fillTiers();
  return { unit, priceValues: reader.values, problems: reader.problems };
}

function readRate(
  reader: PriceValueReader,
  { key, rate }: { key: string; rate: string },
  value: Price,
): void {
  if (typeof value === 'number') {
    reader.read(rate, String(value), { field: key });
    return;
  }
  reader.read(rate, String(value.base), { field: key });
  for (const { start, price } of value.tiers)
    reader.read(`tiers.${start}.${rate}`, String(price), { field: `${key} above ${start}` });
}

function readOther(
  reader: PriceValueReader,
  { key, unit }: { key: string; unit: PriceUnit },
  value: Price,
): void {
  const name = unit === 'per_hour' ? 'hour' : THOUSANDS[key];
  if (name === undefined) reader.problems.push(`${key} is not a price that a catalog can say`);
  else if (typeof value !== 'number') reader.problems.push(`${key} has tiers of its own`);
  else reader.read(name, String(value), { power: unit === 'per_hour' ? 0 : -3, field: key });
}

const TIME_OF_DAY = 'its price changes with the time of day';

const byTimeOfDay = ({ prices }: ModelInfo): boolean =>
  Array.isArray(prices) && prices.some(({ constraint }) => constraint?.type === 'time_of_date');

/** A model with the prices that it has at that time. */
export function readModel(provider: Provider, model: ModelInfo, at: Date): OracleModel {
  // Asked for by its own id alone: the package finds models by patterns, of which the first may be another model's.
  const only = {
    ...provider,
    models: [{ ...model, match: { equals: model.id } }],
    fallback_model_providers: [],
  };
  const price = calcPrice({ input_tokens: 0 }, model.id, { provider: only, timestamp: at });
  const read = readModelPrice(provider.id, model.id, price?.model_price ?? {});
  return byTimeOfDay(model) ? { ...read, problems: [...read.problems, TIME_OF_DAY] } : read;
}
