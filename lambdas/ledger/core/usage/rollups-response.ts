/** The query and the response of `GET /api/v1/usage/rollups`. */
import * as z from 'zod';
import { type Body, idOf, seconds, usd } from '../../../platform/core/api/response-schema.ts';
import { timeParameter } from '../../../platform/core/api/time-parameter.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { usdJson } from '../../../platform/core/money.ts';
import { CALL_STATUSES } from '../usage-record.ts';
import type { AccountRollups, HourSpan } from './account-rollups.ts';
import { type Amounts, addAmounts, DAY_HOURS, HOUR_SECONDS, noAmounts } from './rollups.ts';

const INTERVALS = ['hour', 'day'] as const;
const GROUPS = ['model', 'api_key', 'kind', 'status'] as const;
type Group = (typeof GROUPS)[number];
const isGroup = (text: string): text is Group => GROUPS.some((group) => group === text);

const MAX_GROUPS = 2;

/** The longest span of each interval, and the span of a query without a start; hours. */
const SPANS = {
  hour: { interval: 1, maxHours: 7 * DAY_HOURS, usual: DAY_HOURS },
  day: { interval: DAY_HOURS, maxHours: 92 * DAY_HOURS, usual: 30 * DAY_HOURS },
} as const;

const time = timeParameter.optional();

export const usageRollupsQuery = z.object({
  start: time.describe('The first interval has this time: ISO 8601, or seconds since the epoch.'),
  end: time.describe('The last interval starts before this time; the present if it is absent.'),
  interval: z
    .enum(INTERVALS)
    .default('day')
    .describe('UTC hours, of at most 7 days, or UTC days, at most 92.'),
  group_by: z
    .string()
    .max(100)
    .transform((text) => text.split(','))
    .refine(
      (names) => names.every(isGroup) && names.length <= MAX_GROUPS && new Set(names).size === names.length,
      `must be at most ${MAX_GROUPS} of ${GROUPS.join(', ')}, with a comma between them`,
    )
    .optional()
    .describe(
      `What each interval is divided by: at most ${MAX_GROUPS} of ${GROUPS.join(', ')}, separated by commas.`,
    ),
});

export type UsageRollupsQuery = z.output<typeof usageRollupsQuery>;

export const usageRollupsSchema = z.object({
  object: z.literal('list'),
  interval: z.enum(INTERVALS),
  data: z.array(
    z.object({
      start: seconds,
      model: z.string().nullable().optional(),
      api_key: idOf('key').optional(),
      kind: z.enum(KINDS).optional(),
      status: z.enum(CALL_STATUSES).optional(),
      calls: z.int(),
      input_units: z.number(),
      cached_units: z.number(),
      output_units: z.number(),
      cost: usd,
    }),
  ),
  total: z.object({ calls: z.int(), cost: usd }),
  complete: z
    .boolean()
    .describe(
      '`false` when there was more to read than one request may, by calls or by keys that the account has had: the next one goes on from there.',
    ),
  as_of: seconds.describe('Calls that were settled later may be missing. Seconds since the epoch.'),
});

/** The whole intervals of a query. Throws 400 that names `end` or `start` when it is empty or too long. */
export function spanOf({ start, end, interval }: UsageRollupsQuery, nowMs: number): HourSpan {
  const { interval: hours, maxHours, usual } = SPANS[interval];
  const hourMs = HOUR_SECONDS * 1000;
  const endMs = end ?? nowMs;
  const startMs = start ?? Math.max(0, endMs - usual * hourMs);
  if (startMs >= endMs) throw invalid('end', 'must be after start');
  if (endMs - startMs > maxHours * hourMs) {
    throw invalid('start', `must be at most ${maxHours / DAY_HOURS} days before end`);
  }
  const unitMs = hours * hourMs;
  return { start: Math.floor(startMs / unitMs) * hours, end: Math.ceil(endMs / unitMs) * hours };
}

const invalid = (param: string, message: string) =>
  new ServiceError('invalid_value', `${param}: ${message}.`, { param });

type Row = AccountRollups['rows'][number];

const VALUES: Readonly<Record<Group, (row: Row) => string | null>> = {
  model: ({ model }) => model,
  api_key: ({ keyId }) => keyId,
  kind: ({ kind }) => kind,
  status: ({ status }) => status,
};

interface Bucket extends Amounts {
  readonly start: number;
  readonly row: Row;
}

/** Returns the rollups for a response: the intervals that have calls, oldest first. */
export function usageRollupsBody(
  { rows, complete }: AccountRollups,
  { interval, group_by: names = [] }: UsageRollupsQuery,
  asOf: number,
): Body<typeof usageRollupsSchema> {
  const { interval: hours } = SPANS[interval];
  const groups = GROUPS.filter((group) => names.includes(group));
  const buckets = new Map<string, Bucket>();
  const total = noAmounts();
  for (const row of rows) {
    const start = Math.floor(row.hour / hours) * hours * HOUR_SECONDS;
    const key = JSON.stringify([start, ...groups.map((group) => VALUES[group](row))]);
    const bucket = buckets.get(key) ?? { start, row, ...noAmounts() };
    buckets.set(key, bucket);
    addAmounts(bucket, row);
    addAmounts(total, row);
  }
  const inOrder = [...buckets].toSorted(([a, { start: first }], [b, { start: second }]) =>
    first === second ? (a < b ? -1 : 1) : first - second,
  );
  return {
    object: 'list',
    interval,
    data: inOrder.map(([, bucket]) => entryOf(bucket, groups)),
    total: { calls: total.calls, cost: usdJson(total.cost) },
    complete,
    as_of: asOf,
  };
}

const entryOf = ({ start, row, ...amounts }: Bucket, groups: readonly Group[]) => ({
  start,
  ...Object.fromEntries(groups.map((group) => [group, VALUES[group](row)])),
  calls: amounts.calls,
  input_units: rounded(amounts.inputUnits),
  cached_units: rounded(amounts.cachedUnits),
  output_units: rounded(amounts.outputUnits),
  cost: usdJson(amounts.cost),
});

/** Rounds units. Seconds have fractions, whose sum depends on the order in insignificant digits. */
export const rounded = (units: number): number =>
  Number.isInteger(units) ? units : Math.round(units * 1e6) / 1e6;
