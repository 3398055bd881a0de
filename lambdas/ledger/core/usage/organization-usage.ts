/** The pages of buckets of `GET /v1/organization/usage/{kind}` and `GET /v1/organization/costs`, from the usage rollups. */
import * as z from 'zod';
import { idOf, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { overloaded, ServiceError } from '../../../platform/core/errors.ts';
import type { Kind } from '../../../platform/core/kinds.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { type RollupReading, readRollups } from './account-rollups.ts';
import type { BucketQuery } from './organization-query.ts';
import { type Amounts, addAmounts, DAY_HOURS, HOUR_SECONDS, noAmounts, type RollupRow } from './rollups.ts';
import { rounded } from './rollups-response.ts';
import type { ReadableUsage } from './usage-reader.ts';

/** The hours that are read at a time. */
const CHUNK_HOURS = 31 * DAY_HOURS;

/** A result has some 300 bytes, and the response of a function at most 6 MB. */
const MAX_RESULTS = 10_000;

const model = z.string().nullable();
const apiKeyId = idOf('key').nullable();
const none = z.null().describe('Not kept.');

const common = {
  num_model_requests: z.int().describe('Calls, failed ones too.'),
  model,
  api_key_id: apiKeyId,
  project_id: none,
  user_id: none,
};

const resultOf = <Name extends string, S extends z.ZodRawShape>(name: Name, shape: S) =>
  z.object({ object: z.literal(`organization.usage.${name}.result`), ...shape, ...common });

/** A bucket's results are all of the kind of the path. */
const usageResult = z.union([
  resultOf('completions', {
    input_tokens: z.int(),
    input_cached_tokens: z.int(),
    output_tokens: z.int(),
    batch: none,
    service_tier: none,
  }),
  resultOf('embeddings', { input_tokens: z.int() }),
  resultOf('images', { images: z.int(), size: none, source: none }),
  resultOf('audio_speeches', {
    input_tokens: z.int().describe('In place of characters, which are not kept.'),
  }),
  resultOf('audio_transcriptions', { seconds: z.number() }),
]);

const costsResult = z.object({
  object: z.literal('organization.costs.result'),
  amount: z.object({ value: usd, currency: z.literal('usd') }),
  line_item: model.describe('The id of a model.'),
  api_key_id: apiKeyId,
  project_id: none,
  user_id: none,
});

const pageOf = <S extends z.ZodType>(result: S) =>
  z.object({
    object: z.literal('page'),
    data: z.array(
      z.object({
        object: z.literal('bucket'),
        start_time: seconds,
        end_time: seconds,
        results: z.array(result),
      }),
    ),
    has_more: z.boolean(),
    next_page: z
      .string()
      .nullable()
      .describe('Sent as `page` to get the next page; `null` on the last page.'),
  });

export const organizationUsageSchema = pageOf(usageResult);
export const organizationCostsSchema = pageOf(costsResult);

/** The values that a result is grouped by; null where it is not. */
interface Group {
  readonly model: string | null;
  readonly keyId: string | null;
}

interface Bucket {
  readonly start: number;
  readonly results: readonly (Group & Amounts)[];
}

const unkept = { project_id: null, user_id: null };

/** The kinds in the path, and what their results have of their own. */
const USAGE: Readonly<
  Record<string, { readonly kind: Kind; fieldsOf(sum: Omit<Amounts, 'calls'>): object }>
> = {
  completions: {
    kind: 'chat',
    fieldsOf: ({ inputUnits, cachedUnits, outputUnits }) => ({
      input_tokens: inputUnits,
      input_cached_tokens: cachedUnits,
      output_tokens: outputUnits,
      batch: null,
      service_tier: null,
    }),
  },
  embeddings: { kind: 'embeddings', fieldsOf: ({ inputUnits }) => ({ input_tokens: inputUnits }) },
  images: {
    kind: 'image',
    fieldsOf: ({ outputUnits }) => ({ images: outputUnits, size: null, source: null }),
  },
  audio_speeches: { kind: 'tts', fieldsOf: ({ inputUnits }) => ({ input_tokens: inputUnits }) },
  audio_transcriptions: { kind: 'audio', fieldsOf: ({ inputUnits }) => ({ seconds: rounded(inputUnits) }) },
};

/** The names of usage in paths. */
export const USAGE_NAMES = Object.keys(USAGE);

/** Returns a page of the usage of a kind. Throws 404 for a kind that there is not, and as `readPage`. */
export async function usagePage(
  reading: RollupReading,
  reader: ReadableUsage,
  query: BucketQuery,
  name: string,
) {
  const usage = Object.hasOwn(USAGE, name) ? USAGE[name] : undefined;
  if (usage === undefined)
    throw new ServiceError(
      'unknown_path',
      `There is no usage of this kind, only: ${USAGE_NAMES.join(', ')}.`,
    );
  const page = await readPage(reading, reader, query, ({ kind }) => kind === usage.kind);
  return pageBody(page, query, ({ model, keyId, calls, ...sum }) => ({
    object: `organization.usage.${name}.result`,
    ...usage.fieldsOf(sum),
    num_model_requests: calls,
    model,
    api_key_id: keyId,
    ...unkept,
  }));
}

/** Returns a page of costs. Throws as `readPage`. */
export async function costsPage(reading: RollupReading, reader: ReadableUsage, query: BucketQuery) {
  const page = await readPage(reading, reader, query, () => true);
  return pageBody(page, query, ({ model, keyId, cost }) => ({
    object: 'organization.costs.result',
    amount: { value: usdJson(cost), currency: 'usd' },
    line_item: model,
    api_key_id: keyId,
    ...unkept,
  }));
}

interface BucketPage {
  readonly buckets: readonly Bucket[];
  /** The first hour of the next page. */
  readonly next: number | undefined;
}

/**
 * Reads the buckets of a page, fewer than its limit if they have too many results. Throws 503 as long as calls of its span
 * are not rolled up, which each attempt continues, so that no sum lacks a call.
 */
async function readPage(
  reading: RollupReading,
  { accountId, keyId: only }: ReadableUsage,
  { span, width, limit, from, groups, models, keyIds }: BucketQuery,
  isCounted: (row: RollupRow) => boolean,
): Promise<BucketPage> {
  const end = Math.min(span.end, from + limit * width);
  const buckets: Bucket[] = [];
  let results = 0;
  for (let start = from; start < end; start += CHUNK_HOURS) {
    const chunk = { start, end: Math.min(end, start + CHUNK_HOURS) };
    const { rows, complete } = await readRollups(reading, accountId, chunk);
    if (!complete)
      throw overloaded('This usage is still being summed up; retry, or set end_time to an earlier hour.');
    const counted = rows.filter(
      (row) =>
        isCounted(row) &&
        (only === undefined || row.keyId === only) &&
        (keyIds?.includes(row.keyId) ?? true) &&
        (models?.includes(row.model ?? '') ?? true),
    );
    const sums = sumsOf(counted, width, groups);
    for (let hour = chunk.start; hour < chunk.end; hour += width) {
      const bucket = { start: hour, results: sums.get(hour) ?? [] };
      results += bucket.results.length;
      if (results > MAX_RESULTS && buckets.length > 0) return { buckets, next: hour };
      if (results > MAX_RESULTS) throw tooManyResults();
      buckets.push(bucket);
    }
  }
  return { buckets, next: end < span.end ? end : undefined };
}

const tooManyResults = () =>
  new ServiceError(
    'invalid_value',
    `group_by: a bucket has more than ${MAX_RESULTS} groups; name some in api_key_ids.`,
    {
      param: 'group_by',
    },
  );

/** Returns the sums of each group, in order, by the first hour of their bucket. */
function sumsOf(
  rows: readonly (RollupRow & { readonly keyId: string })[],
  width: number,
  groups: BucketQuery['groups'],
): ReadonlyMap<number, readonly (Group & Amounts)[]> {
  const sums = new Map<number, Map<string, Group & Amounts>>();
  for (const row of rows) {
    const start = Math.floor(row.hour / width) * width;
    const group = { model: groups.model ? row.model : null, keyId: groups.key ? row.keyId : null };
    const bucket = sums.get(start) ?? new Map<string, Group & Amounts>();
    sums.set(start, bucket);
    const name = JSON.stringify(group);
    const sum = bucket.get(name) ?? { ...group, ...noAmounts() };
    bucket.set(name, sum);
    addAmounts(sum, row);
  }
  return new Map(
    [...sums].map(([start, bucket]) => [
      start,
      [...bucket].toSorted(([a], [b]) => (a < b ? -1 : 1)).map(([, sum]) => sum),
    ]),
  );
}

const pageBody = (
  { buckets, next }: BucketPage,
  { width, tokenOf }: BucketQuery,
  resultOf: (sum: Group & Amounts) => object,
) => ({
  object: 'page',
  data: buckets.map(({ start, results }) => ({
    object: 'bucket',
    start_time: start * HOUR_SECONDS,
    end_time: (start + width) * HOUR_SECONDS,
    results: results.map(resultOf),
  })),
  has_more: next !== undefined,
  next_page: next === undefined ? null : tokenOf(next),
});
