/** A subscription: where an account wants which events, and how its receiver has fared. */
import * as z from 'zod';
import { type EventType, SUBSCRIBABLE_TYPES } from './event.ts';

/** Why a subscription is out of force: its owner's wish, a 410, or days of nothing but failure. */
export type DisabledReason = 'owner' | 'gone' | 'failing';

export interface Subscription {
  readonly accountId: string;
  /** `wh_<ulid>`. */
  readonly id: string;
  readonly url: string;
  readonly events: readonly EventType[];
  readonly description: string | undefined;
  readonly status: 'active' | 'disabled';
  readonly disabledReason: DisabledReason | undefined;
  /** Seconds since the epoch. */
  readonly created: number;
  /** Milliseconds since the epoch of the first failure after the last success; undefined while all is well. */
  readonly failingSinceMs: number | undefined;
  /** An `endpoint.disabled` event that is still to be published, by its id. */
  readonly notice: string | undefined;
}

/** Nothing but failure for so long puts a subscription out of force. */
export const FAILING_SPAN_MS = 5 * 86_400_000;

/** How long a replaced secret signs beside the new one. */
export const ROTATION_SECONDS = 86_400;

/** Each secret in force makes every delivery's headers longer. */
export const MAX_REPLACED_SECRETS = 4;

export const eventTypes = z
  .array(z.enum(SUBSCRIBABLE_TYPES, { error: `must be one of ${SUBSCRIBABLE_TYPES.join(', ')}` }))
  .min(1)
  .max(SUBSCRIBABLE_TYPES.length)
  .transform((types) => [...new Set(types)]);

export const description = z.string().max(256);

/** A subscription as callers see it; its secret is shown when it is made, and never again. */
export function subscriptionEntry(subscription: Subscription): Record<string, unknown> {
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

/** Whether the subscription wants that event now. */
export const wants = ({ status, events }: Subscription, type: EventType): boolean =>
  status === 'active' && events.includes(type);
