/** A delivery's item: where it stands, and its last attempts. */
import { type Item, map, number } from '../../platform/dynamodb/attribute-values.ts';
import {
  asNumber,
  asOneOf,
  asText,
  attribute,
  type Codec,
  codec,
  optional,
} from '../../platform/dynamodb/codec.ts';
import {
  DEAD_REASONS,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryAttempt,
  OUTCOMES,
  RETENTION_SECONDS,
} from '../core/delivery.ts';
import { SUBSCRIBABLE_TYPES } from '../core/event.ts';

const ATTEMPT = codec<DeliveryAttempt>({
  number: asNumber('number'),
  atMs: asNumber('at'),
  durationMs: asNumber('duration'),
  outcome: asOneOf('outcome', OUTCOMES),
  status: optional(asNumber('status')),
  body: optional(asText('body')),
});

export const LOG: Codec<Delivery['log']> = attribute(
  'log',
  (attempts) => ({ L: attempts.map((attempt) => map(ATTEMPT.encode(attempt))) }),
  (item, name) => (item[name]?.L ?? []).map(({ M: attempt = {} }) => ATTEMPT.decode(attempt)),
);

export const DELIVERY = codec<Delivery>({
  webhookId: asText('webhook_id'),
  id: asText('delivery_id'),
  accountId: asText('account_id'),
  eventId: asText('event_id'),
  eventType: asOneOf('event_type', SUBSCRIBABLE_TYPES),
  status: asOneOf('status', DELIVERY_STATUSES),
  deadReason: optional(asOneOf('dead_reason', DEAD_REASONS)),
  attempts: asNumber('attempts'),
  roundStart: asNumber('round_start'),
  deadlineMs: asNumber('deadline'),
  dueMs: asNumber('due'),
  createdMs: asNumber('created'),
  log: LOG,
});

export const encodeDelivery = (delivery: Delivery): Item => ({
  ...DELIVERY.encode(delivery),
  expires: number(Math.floor(delivery.createdMs / 1000) + RETENTION_SECONDS),
});
