/** A delivery: one event for one subscription, with its attempts. */
import { createHash } from 'node:crypto';
import { encodeTime } from 'ulid';
import * as z from 'zod';
import { type Body, idOf } from '../../platform/core/api/response-schema.ts';
import type { EventType, StoredEvent } from './event.ts';

/** `status`: a response that was not 2xx; the others are the reason for a missing response. */
export const OUTCOMES = [
  'delivered',
  'status',
  'timeout',
  'connection',
  'tls',
  'dns',
  'forbidden_address',
  'protocol',
] as const;
export type DeliveryOutcome = (typeof OUTCOMES)[number];

export interface DeliveryAttempt {
  /** From 1, over all rounds. */
  readonly number: number;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  readonly durationMs: number;
  readonly outcome: DeliveryOutcome;
  /** HTTP status, if a response arrived. */
  readonly status?: number;
  /** The first bytes of the response's body. */
  readonly body?: string;
}

/** The reasons why a delivery was given up. `missing`: its event is no longer stored. */
export const DEAD_REASONS = ['exhausted', 'gone', 'disabled', 'missing'] as const;
export type DeadReason = (typeof DEAD_REASONS)[number];

export const DELIVERY_STATUSES = ['pending', 'delivered', 'dead'] as const;
type DeliveryStatus = (typeof DELIVERY_STATUSES)[number];

export interface Delivery {
  readonly webhookId: string;
  /** `dlv_` and a ULID derived from the event's arrival, the event and the subscription. */
  readonly id: string;
  readonly accountId: string;
  readonly eventId: string;
  readonly eventType: EventType;
  readonly status: DeliveryStatus;
  readonly deadReason: DeadReason | undefined;
  /** Attempts that ended, over all rounds. */
  readonly attempts: number;
  /** Attempts that had ended when this round of 24 hours started. */
  readonly roundStart: number;
  /** The end of this round, milliseconds since the epoch. */
  readonly deadlineMs: number;
  /** The time at which the next attempt is due, milliseconds since the epoch. */
  readonly dueMs: number;
  readonly createdMs: number;
  /** The last attempts, oldest first. */
  readonly log: readonly DeliveryAttempt[];
}

/** The maximum number of attempts whose record is retained: two rounds of 24 hours. */
export const MAX_LOGGED_ATTEMPTS = 20;

/** The number of bytes of a receiver's response that are stored. */
export const MAX_LOGGED_BODY_BYTES = 1024;

/**
 * The time for which deliveries and the data of their events are stored, seconds: the same as for a dead letter in a
 * queue.
 */
export const RETENTION_SECONDS = 14 * 86_400;

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** The same for the same event and subscription, and sorted by the event's arrival. */
export function deliveryId(event: StoredEvent, webhookId: string): string {
  const digest = createHash('sha256').update(`${event.accountId}\n${event.id}\n${webhookId}`).digest();
  const random = [...digest.subarray(0, 16)].map((byte) => ALPHABET[byte % ALPHABET.length]).join('');
  return `dlv_${encodeTime(event.receivedMs, 10)}${random}`;
}

/** The first id that a delivery of an event that arrived then can have. */
export const firstIdAt = (ms: number): string =>
  `dlv_${encodeTime(Math.max(0, Math.floor(ms)), 10)}${'0'.repeat(16)}`;

const iso = (ms: number): string => new Date(ms).toISOString();

export const attemptSchema = z.object({
  attempt: z.int(),
  at: z.iso.datetime(),
  duration_ms: z.number(),
  outcome: z.enum(OUTCOMES),
  response_status: z.int().nullable(),
  response_body: z.string().nullable(),
});

export const deliverySchema = z.object({
  id: idOf('dlv'),
  object: z.literal('webhook_delivery'),
  webhook_id: z.string(),
  event_id: z.string(),
  event_type: z.string(),
  status: z.enum(DELIVERY_STATUSES),
  dead_reason: z.enum(DEAD_REASONS).optional(),
  created: z.iso.datetime(),
  attempt_count: z.int(),
  next_attempt: z.iso.datetime().nullable(),
  attempts: z.array(attemptSchema),
});

/** Returns the public entry of a delivery. */
export function deliveryEntry(delivery: Delivery): Body<typeof deliverySchema> {
  const { status, deadReason } = delivery;
  return {
    id: delivery.id,
    object: 'webhook_delivery',
    webhook_id: delivery.webhookId,
    event_id: delivery.eventId,
    event_type: delivery.eventType,
    status,
    ...(deadReason === undefined ? {} : { dead_reason: deadReason }),
    created: iso(delivery.createdMs),
    attempt_count: delivery.attempts,
    next_attempt: status === 'pending' ? iso(delivery.dueMs) : null,
    attempts: delivery.log.map(attemptEntry),
  };
}

export const attemptEntry = (attempt: DeliveryAttempt): Body<typeof attemptSchema> => ({
  attempt: attempt.number,
  at: iso(attempt.atMs),
  duration_ms: attempt.durationMs,
  outcome: attempt.outcome,
  response_status: attempt.status ?? null,
  response_body: attempt.body ?? null,
});
