/** The things that answers are made of, as schemas with names. */
import * as z from 'zod';
import { IP_RATE_ERROR } from '../contract/gateway-errors.ts';
import { KINDS, policySchema } from '../core/access/policy.ts';
import { ERROR_CODES, type ErrorCode, type ErrorType } from '../core/errors.ts';
import { newListing } from '../core/listings/fields.ts';
import { LISTING_KINDS } from '../core/listings/listing.ts';
import { SUBSCRIBABLE_TYPES } from '../core/webhooks/event.ts';

const seconds = z.int().describe('Seconds since the epoch.');
const usd = z.number().describe('USD, with up to 9 decimal places.');
const id = (prefix: string) => z.string().meta({ example: `${prefix}_01ARZ3NDEKTSV4RRFFQ69G5FAV` });

/** The codes of our own errors, and the one that only the edge answers with. */
const codes = [...(Object.keys(ERROR_CODES) as ErrorCode[]), IP_RATE_ERROR.code] as const;
const types = [...new Set(Object.values(ERROR_CODES).map(({ type }) => type))] as [ErrorType, ...ErrorType[]];

const attempt = z.object({
  attempt: z.int(),
  at: z.iso.datetime(),
  duration_ms: z.number(),
  outcome: z.string(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
});

const webhook = z.object({
  id: id('wh'),
  object: z.literal('webhook'),
  url: z.url(),
  events: z.array(z.enum(SUBSCRIBABLE_TYPES)),
  description: z.string().optional(),
  status: z.enum(['active', 'disabled']),
  disabled_reason: z.enum(['owner', 'gone', 'failing']).optional(),
  created: seconds,
});

const apiKey = z.object({
  id: z.string(),
  object: z.literal('api_key'),
  name: z.string(),
  policy: policySchema,
  disabled: z.boolean(),
  created: seconds,
  previous_secret_expires: seconds.nullable(),
});

const account = z.object({
  id: id('acc'),
  object: z.literal('account'),
  email: z.string().nullable(),
  created: seconds,
});

const model = z.object({
  id: z.string(),
  object: z.literal('model'),
  created: seconds,
  owned_by: z.string(),
  type: z.enum(KINDS),
  display_name: z.string(),
  created_at: z.iso.datetime(),
});

const listing = newListing.required().extend({
  id: id('lst'),
  kind: z.enum(LISTING_KINDS),
  owner_id: id('acc'),
  installs: z.int(),
  rating: z.number().nullable().describe('The mean of the reviews; `null` before the first.'),
  created: seconds,
  updated: seconds.describe('Seconds since the epoch; installs and reviews do not move it.'),
});

/** Schemas by name; each is a component of the document. */
export const COMPONENTS = {
  Error: z.object({
    error: z.object({
      message: z.string().describe('Ends with the request id.'),
      type: z.enum(types),
      code: z.enum(codes).nullable(),
      param: z.string().nullable().describe('The field at fault, as a path.'),
    }),
  }),
  MessagesError: z.object({
    type: z.literal('error'),
    error: z.object({ type: z.enum(types), message: z.string() }),
    request_id: z.string(),
  }),
  Account: account,
  SignedIn: z.object({
    access_token: z.string(),
    token_type: z.literal('Bearer'),
    expires_in: z.int(),
    account,
  }),
  ApiKey: apiKey,
  NewApiKey: apiKey.extend({ key: z.string().describe('The key itself, shown this once.') }),
  CreditBalance: z.object({
    object: z.literal('credit_balance'),
    api_key: z.string(),
    balance: usd,
    held: usd,
    currency: z.literal('USD'),
    policy: policySchema,
    spend: z.object({ today: usd, month: usd }),
  }),
  Order: z.object({
    order_id: id('ord'),
    object: z.literal('order'),
    status: z.string(),
    amount: usd,
    currency: z.literal('USD'),
    checkout_url: z.url().nullable(),
    refunded: usd,
    created: seconds,
  }),
  Model: model,
  Price: z.object({
    model_id: z.string(),
    model: z.string(),
    type: z.enum(KINDS),
    price: z.number(),
    unit: z.enum(['per_million_tokens', 'per_image', 'per_minute']),
    input_price: z.number().optional(),
    output_price: z.number().optional(),
    cached_input_price: z.number().optional(),
  }),
  UsageRecord: z.object({
    id: id('req'),
    created: seconds,
    model: z.string().nullable(),
    kind: z.enum(KINDS),
    input_units: z.number(),
    cached_units: z.number(),
    output_units: z.number(),
    unit: z.enum(['token', 'image', 'second']),
    cost: usd,
    written_off: usd,
    estimated: z.boolean(),
    route: z.string().nullable(),
    status: z.enum(['completed', 'interrupted', 'failed', 'expired']),
  }),
  Webhook: webhook,
  NewWebhook: webhook.extend({ secret: z.string().describe('Signs every delivery; shown this once.') }),
  Delivery: z.object({
    id: id('dlv'),
    object: z.literal('webhook_delivery'),
    webhook_id: z.string(),
    event_id: z.string(),
    event_type: z.string(),
    status: z.enum(['pending', 'delivered', 'dead']),
    dead_reason: z.string().optional(),
    created: z.iso.datetime(),
    attempt_count: z.int(),
    next_attempt: z.iso.datetime().nullable(),
    attempts: z.array(attempt),
  }),
  Listing: listing,
  Review: z.object({
    id: id('rev'),
    object: z.literal('review'),
    listing_id: id('lst'),
    reviewer_id: id('acc'),
    rating: z.int().min(1).max(5),
    text: z.string(),
    created: seconds,
  }),
  Release: z.object({
    id: id('rel'),
    object: z.literal('release'),
    listing_id: id('lst'),
    version: z.string(),
    notes: z.string(),
    created: seconds,
  }),
  Install: z.object({
    object: z.literal('install'),
    listing_id: id('lst'),
    account_id: id('acc'),
    created: seconds,
  }),
  Purchase: z.object({
    id: id('pur'),
    object: z.literal('purchase'),
    listing_id: id('lst'),
    buyer_id: id('acc'),
    amount: z.int(),
    currency: z.string(),
    created: seconds,
  }),
  Category: z.object({
    name: z.string(),
    count: z.int(),
    counts: z.object({ app: z.int(), 'ai-agent': z.int() }),
  }),
} as const satisfies Record<string, z.ZodType>;

export type ComponentName = keyof typeof COMPONENTS;

/** A component as a part of another schema; it becomes a reference in the document. */
export const component = (name: ComponentName): { readonly name: ComponentName } => ({ name });

/** The name of the component that a page of those entries is. */
export const pageOf = (name: ComponentName): { readonly name: string } => ({ name: `${name}Page` });
