/**
 * The data of each type of event: its fields, each with the value that a test event has in it. No object has these ids, and
 * no amount is above 0. A type that can be subscribed to needs a row, which the description, the documentation and test
 * events read.
 */
import * as z from 'zod';
import { HAS_MARKET } from '../../platform/contract/features.ts';
import { ENDPOINT_DISABLED } from './event.ts';

const field = <T>(schema: z.ZodType<T>, example: NoInfer<T>, description?: string) =>
  schema.meta({ examples: [example], ...(description === undefined ? {} : { description }) });

const id = (prefix: string) => field(z.string(), `${prefix}_${'0'.repeat(26)}`);
const text = (example: string, description?: string) => field(z.string(), example, description);
const cents = field(z.int(), 0, "In the currency's minor unit.");
const currency = text('USD');
const balance = field(z.number(), 0, 'The remaining credit in USD.');
const time = field(z.int(), 1_793_491_200, 'Seconds since the epoch.');

const SUBSCRIPTION = {
  subscription_id: id('sub'),
  listing_id: id('lst'),
  subscriber_id: id('acc'),
  plan: text('pro'),
  interval: text('month', '`month` or `year`.'),
  amount: cents,
  currency,
  status: text('active'),
  trial_end: field(z.int().nullable(), null, 'Seconds since the epoch.'),
  current_period_start: time,
  current_period_end: time,
  cancel_at_period_end: field(z.boolean(), false),
  pending_plan: field(z.string().nullable(), null, 'The plan from the next renewal on.'),
  charge_id: field(z.string().nullable(), null, 'The charge of the current period; null in a trial.'),
};

const previous = (status: string) =>
  field(z.record(z.string(), z.unknown()).optional(), { status }, 'The changed fields as they were.');

const MARKET_ROWS: Readonly<Record<string, readonly [when: string, z.ZodRawShape]>> = {
  'listing.installed': [
    'a user installs an app, web app or agent',
    { listing_id: id('lst'), kind: text('app', '`app` or `ai-agent`.'), account_id: id('acc') },
  ],
  'purchase.completed': [
    'a one-time purchase settles',
    { listing_id: id('lst'), buyer_id: id('acc'), amount: cents, currency, purchase_id: id('pur') },
  ],
  'subscription.created': ['a subscription to a listing starts', SUBSCRIPTION],
  'subscription.updated': [
    'a field of a subscription changes',
    { ...SUBSCRIPTION, previous: previous('past_due') },
  ],
  'subscription.canceled': [
    'a subscription ends',
    {
      ...SUBSCRIPTION,
      status: text('canceled'),
      reason: text('requested'),
      canceled_at: time,
      ended_at: time,
    },
  ],
  'app.build.scanned': [
    'a build is `clean`, `infected`, `unsupported` or `failed`; again, with `previous`, if a clean build is found infected later',
    {
      build_id: id('build'),
      listing_id: id('lst'),
      verdict: text('infected'),
      digest: text(`sha256:${'0'.repeat(64)}`),
      size: field(z.int(), 0, 'Bytes.'),
      engine: field(z.object({ name: z.string() }), { name: 'test' }),
      threats: field(z.array(z.string()), ['test']),
      reason: field(z.string().nullable(), null, 'Why the build is unsupported.'),
      scanned_at: time,
      previous: previous('clean'),
    },
  ],
  'release.created': [
    'a release is created',
    { listing_id: id('lst'), release_id: id('rel'), version: text('1.1.0'), previous_version: text('1.0.0') },
  ],
  'release.rolled_back': [
    'an earlier release becomes the current one',
    { listing_id: id('lst'), version: text('1.0.0'), previous_version: text('1.1.0') },
  ],
  'review.created': [
    'a customer leaves a review',
    {
      listing_id: id('lst'),
      review_id: id('rev'),
      reviewer_id: id('acc'),
      rating: field(z.int(), 5, '1 to 5.'),
    },
  ],
  'payout.paid': [
    'a payout settles to the account',
    { payout_id: id('po'), amount: cents, currency, arrival_date: time, created: time },
  ],
};

const ROWS: typeof MARKET_ROWS = {
  ...(HAS_MARKET ? MARKET_ROWS : {}),
  [ENDPOINT_DISABLED]: [
    'one of your webhooks was disabled',
    {
      webhook_id: id('wh'),
      url: text('https://example.com/hook'),
      reason: text('gone', '`gone` or `failing`.'),
    },
  ],
  'balance.low': [
    'your remaining credit, open holds included, is below a threshold',
    {
      balance,
      currency,
      threshold: text('balance_low_usd', '`balance_low_usd` or `balance_low_days`.'),
      value: field(z.number(), 5, 'The threshold.'),
    },
  ],
  'credit.exhausted': [
    'a call is rejected because the credit does not cover it',
    {
      balance,
      currency,
      estimate: field(z.number().optional(), 0.01, 'The estimate of that call in USD.'),
    },
  ],
};

export const EVENT_DATA: Readonly<Record<string, { when: string; schema: z.ZodObject }>> = Object.fromEntries(
  Object.entries(ROWS).map(([type, [when, shape]]) => [type, { when, schema: z.object(shape) }]),
);

const exampleOf = (schema: z.core.$ZodType): unknown =>
  (z.globalRegistry.get(schema)?.examples as readonly unknown[] | undefined)?.[0];

/** Returns the data of a test event: every field of its type, and a mark. */
export const testData = (type: string): Record<string, unknown> => ({
  ...Object.fromEntries(
    Object.entries(EVENT_DATA[type]?.schema.shape ?? {}).map(([name, each]) => [name, exampleOf(each)]),
  ),
  test: true,
});
