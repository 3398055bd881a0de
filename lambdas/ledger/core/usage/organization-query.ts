/**
 * The queries of `GET /v1/organization/usage/{kind}` and `GET /v1/organization/costs`, as OpenAI's API has them ("Usage" in its
 * API reference; openai-node 7.55.0). Everything that the rollups lack, such as users and minutes, is 400 and named.
 */
import { hash } from 'node:crypto';
import * as z from 'zod';
import { ServiceError } from '../../../platform/core/errors.ts';
import { validate } from '../../../platform/core/json/json-body.ts';
import type { HttpRequest } from '../../../platform/core/ports.ts';
import type { HourSpan } from './account-rollups.ts';
import { DAY_HOURS, HOUR_SECONDS, hourOf } from './rollups.ts';

const seconds = z
  .string()
  .regex(/^\d{1,11}$/, 'must be whole seconds since the epoch')
  .meta({ type: 'integer', pattern: undefined, minimum: 0, maximum: 99_999_999_999 });

const count = (most: number) =>
  z
    .string()
    .regex(/^\d{1,4}$/, 'must be a whole number')
    .meta({ type: 'integer', pattern: undefined, minimum: 1, maximum: most });

/** Names of models are the longest. */
const names = z.array(z.string().min(1).max(300)).max(100).optional();

const groups = <const Group extends string>(...of: readonly [Group, ...Group[]]) =>
  z
    .array(z.enum(of))
    .max(of.length)
    .optional()
    .describe(
      `What each bucket is divided by: ${of.join(', ')}. Sent as \`group_by\` or \`group_by[]\`, once for each.`,
    );

const span = {
  start_time: seconds.describe('The first bucket has this time. Seconds since the epoch.'),
  end_time: seconds
    .optional()
    .describe('The last bucket starts before this time; the present if it is absent.'),
  api_key_ids: names.describe('Only calls of the API keys with these ids.'),
  page: z.string().max(200).optional().describe('The `next_page` of the previous page of the same query.'),
};

export const organizationUsageQuery = z.object({
  ...span,
  bucket_width: z.enum(['1h', '1d']).default('1d').describe('UTC hours or days.'),
  limit: count(168)
    .optional()
    .describe('Buckets per page: at most 31 days, 7 by default, or 168 hours, 24 by default.'),
  group_by: groups('model', 'api_key_id'),
  models: names.describe('Only calls of the models with these ids.'),
});

export const organizationCostsQuery = z.object({
  ...span,
  bucket_width: z.enum(['1d']).default('1d').describe('UTC days.'),
  limit: count(180).optional().describe('Buckets per page, 7 by default.'),
  group_by: groups('line_item', 'api_key_id'),
  line_items: names.describe('Only these line items: ids of models.'),
});

/** The buckets of a page by default, and at most. */
const LIMITS = {
  usage: { '1h': { usual: 24, most: 168 }, '1d': { usual: 7, most: 31 } },
  costs: { '1h': { usual: 7, most: 180 }, '1d': { usual: 7, most: 180 } },
} as const;

const LISTS: ReadonlySet<string> = new Set(['group_by', 'models', 'line_items', 'api_key_ids']);

export interface BucketQuery {
  /** Whole buckets, in hours since the epoch; none of them begins in the future. */
  readonly span: HourSpan;
  /** Hours of a bucket. */
  readonly width: number;
  readonly limit: number;
  /** The first hour of the page. */
  readonly from: number;
  /** A line item is a model. */
  readonly groups: { readonly model: boolean; readonly key: boolean };
  readonly models: readonly string[] | undefined;
  readonly keyIds: readonly string[] | undefined;
  /** Returns the token of the page that starts with an hour. */
  readonly tokenOf: (hour: number) => string;
}

export interface BucketQueryContext {
  readonly nowMs: number;
  /** Names the usage that the caller may read: a token of a page is of no use for any other. */
  readonly subject: readonly (string | undefined)[];
}

/** Returns the parameters of a query by name. Throws 400 for one that there is not. */
function parametersOf({ url }: Pick<HttpRequest, 'url'>, { shape }: z.ZodObject): Record<string, unknown> {
  const parameters: Record<string, string | string[]> = {};
  for (const [name, value] of new URL(url).searchParams) {
    const field = name.replace(/\[\]$/, '');
    if (!Object.hasOwn(shape, field)) {
      const shown = field.slice(0, 100);
      throw invalid(shown, 'is not available; usage is kept by hour, model and API key');
    }
    const previous = parameters[field];
    parameters[field] = LISTS.has(field) ? [...(Array.isArray(previous) ? previous : []), value] : value;
  }
  return parameters;
}

/** Reads the query of usage. Throws 400. */
export function readUsageQuery(request: Pick<HttpRequest, 'url'>, context: BucketQueryContext): BucketQuery {
  const query = validate(organizationUsageQuery, parametersOf(request, organizationUsageQuery));
  const { group_by: by = [], models } = query;
  return bucketQuery(
    'usage',
    { ...query, models, byModel: by.includes('model'), byKey: by.includes('api_key_id') },
    context,
  );
}

/** Reads the query of costs. Throws 400. */
export function readCostsQuery(request: Pick<HttpRequest, 'url'>, context: BucketQueryContext): BucketQuery {
  const query = validate(organizationCostsQuery, parametersOf(request, organizationCostsQuery));
  const { group_by: by = [], line_items: models } = query;
  return bucketQuery(
    'costs',
    { ...query, models, byModel: by.includes('line_item'), byKey: by.includes('api_key_id') },
    context,
  );
}

type Query = Pick<z.output<typeof organizationUsageQuery>, keyof typeof span | 'bucket_width' | 'limit'> & {
  readonly models: readonly string[] | undefined;
  readonly byModel: boolean;
  readonly byKey: boolean;
};

function bucketQuery(
  of: keyof typeof LIMITS,
  query: Query,
  { nowMs, subject }: BucketQueryContext,
): BucketQuery {
  const { bucket_width: bucket, byModel, byKey, models, api_key_ids: keyIds } = query;
  const startSeconds = Number(query.start_time);
  const endSeconds = query.end_time === undefined ? undefined : Number(query.end_time);
  if (endSeconds !== undefined && endSeconds <= startSeconds)
    throw invalid('end_time', 'must be after start_time');
  const width = bucket === '1h' ? 1 : DAY_HOURS;
  const { usual, most } = LIMITS[of][bucket];
  const limit = query.limit === undefined ? usual : Number(query.limit);
  if (limit < 1 || limit > most) throw invalid('limit', `must be from 1 to ${most}`);
  const start = Math.floor(hourOf(startSeconds) / width) * width;
  const present = (Math.floor(hourOf(nowMs / 1000) / width) + 1) * width;
  const end = Math.ceil((endSeconds ?? Number.POSITIVE_INFINITY) / HOUR_SECONDS / width) * width;
  const span = { start, end: Math.max(start, Math.min(end, present)) };
  const whole = [
    of,
    subject,
    start,
    endSeconds ?? null,
    bucket,
    byModel,
    byKey,
    models ?? null,
    keyIds ?? null,
  ];
  const digest = hash('sha256', JSON.stringify(whole)).slice(0, 16);
  return {
    span,
    width,
    limit,
    from: query.page === undefined ? start : pageStart(query.page, digest, { span, width }),
    groups: { model: byModel, key: byKey },
    models,
    keyIds,
    tokenOf: (hour) => Buffer.from(`${hour}.${digest}`).toString('base64url'),
  };
}

/** Returns the hour of a token. Throws 400 if it belongs to another query, or was never issued. */
function pageStart(
  page: string,
  digest: string,
  { span, width }: Pick<BucketQuery, 'span' | 'width'>,
): number {
  const [hour = '', of] = Buffer.from(page, 'base64url').toString('latin1').split('.');
  const from = /^\d{1,8}$/.test(hour) ? Number(hour) : -1;
  if (of !== digest || from < span.start || from > span.end || from % width !== 0)
    throw invalid('page', 'must be the next_page of an earlier page of the same query');
  return from;
}

const invalid = (param: string, message: string) =>
  new ServiceError('invalid_value', `${param}: ${message}.`, { param });
