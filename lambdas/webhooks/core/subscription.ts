/** A subscription: which events go where, and the health of the receiver. */
import * as z from 'zod';
import { type Body, idOf, seconds } from '../../platform/core/api/response-schema.ts';
import { storedText } from '../../platform/core/json/stored-text.ts';
import { type EventType, SUBSCRIBABLE_TYPES } from './event.ts';
import { deliveryStatisticsSchema } from './statistics.ts';

/** The reasons why a subscription is disabled: by its owner, by a 410, or after days of failures only. */
export const DISABLED_REASONS = ['owner', 'gone', 'failing'] as const;
export type DisabledReason = (typeof DISABLED_REASONS)[number];

export const SUBSCRIPTION_STATUSES = ['active', 'disabled'] as const;
type SubscriptionStatus = (typeof SUBSCRIPTION_STATUSES)[number];

export interface Subscription {
  readonly accountId: string;
  /** `wh_<ulid>`. */
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | undefined;
  readonly status: SubscriptionStatus;
  readonly disabledReason: DisabledReason | undefined;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Milliseconds since the epoch of the first failure after the last success; undefined while all is well. */
  readonly failingSinceMs: number | undefined;
  /** An `endpoint.disabled` event that is still to be published, by its id. */
  readonly notice: string | undefined;
}

/** Failures alone for this time disable a subscription. */
export const FAILING_SPAN_MS = 5 * 86_400_000;

/** The time for which a replaced secret still signs, seconds. */
export const ROTATION_SECONDS = 86_400;

/** Each active secret makes the headers of every delivery longer. */
export const MAX_REPLACED_SECRETS = 4;

export const eventTypes = z
  .array(z.enum(SUBSCRIBABLE_TYPES))
  .min(1)
  .max(SUBSCRIBABLE_TYPES.length)
  .transform((types) => [...new Set(types)]);

export const description = storedText().max(256);

export const subscriptionSchema = z.object({
  id: idOf('wh'),
  object: z.literal('webhook'),
  url: z.url(),
  events: z.array(z.enum(SUBSCRIBABLE_TYPES)),
  description: z.string().optional(),
  status: z.enum(SUBSCRIPTION_STATUSES),
  disabled_reason: z.enum(DISABLED_REASONS).optional(),
  created: seconds,
});

export const newSubscriptionSchema = subscriptionSchema.extend({
  secret: z.string().describe('Signs every delivery; shown this once.'),
});

export const rotatedSecretSchema = z.object({
  id: z.string(),
  object: z.literal('webhook'),
  secret: z.string(),
  previous_secret_expires: seconds,
});

export const subscriptionWithStatisticsSchema = subscriptionSchema.extend({
  stats: deliveryStatisticsSchema,
});

/** Returns the public entry of a subscription; its secret is shown at its creation, and never again. */
export function subscriptionEntry(subscription: Subscription): Body<typeof subscriptionSchema> {
  const { id, url, events, description: text, status, disabledReason, created } = subscription;
  return {
    id,
    object: 'webhook',
    url,
    events,
    ...(text === undefined ? {} : { description: text }),
    status,
    ...(disabledReason === undefined ? {} : { disabled_reason: disabledReason }),
    created,
  };
}

/** Returns whether the subscription currently receives that event. */
export const wants = ({ status, events }: Subscription, type: EventType): boolean =>
  status === 'active' && events.includes(type);
