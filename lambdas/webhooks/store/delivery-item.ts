/** A delivery's item: where it stands, and its last attempts. */
import * as z from 'zod';
import {
  type Item,
  map,
  number,
  readNumber,
  readText,
  text,
} from '../../platform/dynamodb/attribute-values.ts';
import {
  DEAD_REASONS,
  DELIVERY_STATUSES,
  type Delivery,
  type DeliveryAttempt,
  OUTCOMES,
  RETENTION_SECONDS,
} from '../core/delivery.ts';
import { EVENT_TYPES } from '../core/event.ts';

const type = z.enum(EVENT_TYPES);
const status = z.enum(DELIVERY_STATUSES);
const reason = z.enum(DEAD_REASONS).optional();
const outcome = z.enum(OUTCOMES);

export function encodeDelivery(delivery: Delivery): Item {
  return {
    webhook_id: text(delivery.webhookId),
    delivery_id: text(delivery.id),
    account_id: text(delivery.accountId),
    event_id: text(delivery.eventId),
    event_type: text(delivery.eventType),
    status: text(delivery.status),
    attempts: number(delivery.attempts),
    round_start: number(delivery.roundStart),
    deadline: number(delivery.deadlineMs),
    due: number(delivery.dueMs),
    created: number(delivery.createdMs),
    log: { L: delivery.log.map(encodeAttempt) },
    expires: number(Math.floor(delivery.createdMs / 1000) + RETENTION_SECONDS),
  };
}

export function decodeDelivery(item: Item): Delivery {
  return {
    webhookId: readText(item, 'webhook_id'),
    id: readText(item, 'delivery_id'),
    accountId: readText(item, 'account_id'),
    eventId: readText(item, 'event_id'),
    eventType: type.parse(item.event_type?.S),
    status: status.parse(item.status?.S),
    deadReason: reason.parse(item.dead_reason?.S),
    attempts: readNumber(item, 'attempts'),
    roundStart: readNumber(item, 'round_start'),
    deadlineMs: readNumber(item, 'deadline'),
    dueMs: readNumber(item, 'due'),
    createdMs: readNumber(item, 'created'),
    log: (item.log?.L ?? []).map(({ M: attempt = {} }) => decodeAttempt(attempt)),
  };
}

export function encodeAttempt(attempt: DeliveryAttempt) {
  return map({
    number: number(attempt.number),
    at: number(attempt.atMs),
    duration: number(attempt.durationMs),
    outcome: text(attempt.outcome),
    ...(attempt.status === undefined ? {} : { status: number(attempt.status) }),
    ...(attempt.body === undefined ? {} : { body: text(attempt.body) }),
  });
}

function decodeAttempt(item: Item): DeliveryAttempt {
  return {
    number: readNumber(item, 'number'),
    atMs: readNumber(item, 'at'),
    durationMs: readNumber(item, 'duration'),
    outcome: outcome.parse(item.outcome?.S),
    ...(item.status === undefined ? {} : { status: readNumber(item, 'status') }),
    ...(item.body?.S === undefined ? {} : { body: item.body.S }),
  };
}
