/** The platform's events: the events that may be published, and the body that receivers get. */
import * as z from 'zod';
import { HAS_MARKET } from '../../platform/contract/features.ts';
import { requireFinished, type StageCheck } from '../../platform/core/stage-check.ts';

/** The types of the market: nine of the interface, and `subscription.updated`. */
const MARKET_TYPES = [
  'listing.installed',
  'purchase.completed',
  'subscription.created',
  'subscription.updated',
  'subscription.canceled',
  'app.build.scanned',
  'release.created',
  'release.rolled_back',
  'review.created',
  'payout.paid',
] as const;

/** Notifies an owner that a subscription was disabled. */
export const ENDPOINT_DISABLED = 'endpoint.disabled';

/** Notify an owner that credit runs low or has run out. Layout 2 has them. */
const MONEY_TYPES = ['balance.low', 'credit.exhausted'] as const;

/** A batch of settled calls for a receiver of telemetry. No webhook gets it. */
export const CALLS_SETTLED = 'calls.settled';

/** The types that stored subscriptions and events may have, whatever the build leaves out. */
export const EVENT_TYPES = [...MARKET_TYPES, ENDPOINT_DISABLED, ...MONEY_TYPES, CALLS_SETTLED] as const;
export type EventType = (typeof EVENT_TYPES)[number];

/** Everything that can be subscribed to. */
export const SUBSCRIBABLE_TYPES: readonly EventType[] = [
  ...(HAS_MARKET ? MARKET_TYPES : []),
  ENDPOINT_DISABLED,
  ...MONEY_TYPES,
];

/** Throws 409 for a type of layout 2 while the release before, which takes no subscriptions to it, may still run. */
export function requireWritable(types: readonly EventType[], stage: Pick<StageCheck, 'layoutOf'>): void {
  if (types.some((type) => MONEY_TYPES.some((each) => each === type)))
    requireFinished(stage.layoutOf('webhooks'), 'events of money', 'events');
}

/** Characters that a header contains unchanged. */
export const EVENT_ID = /^[\w.:-]{1,128}$/;

/** The data of an event as JSON; EventBridge took entries of 256 KB when most of its publishers were written. */
export const MAX_DATA_BYTES = 240 * 1024;

/** An event as publishers put it on the platform's bus. */
export interface PublishedEvent {
  /** The account whose subscriptions receive it. */
  readonly accountId: string;
  readonly type: string;
  /** The same id again changes nothing. */
  readonly id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

export interface PlatformEvent {
  readonly accountId: string;
  /** Unique within the account; a repetition has the same. */
  readonly id: string;
  readonly type: EventType;
  /** ISO 8601, UTC. */
  readonly created: string;
  readonly data: Readonly<Record<string, unknown>>;
}

/** An event that was accepted. */
export interface StoredEvent extends PlatformEvent {
  /** Milliseconds since the epoch; the first time that it came. */
  readonly receivedMs: number;
  /** Every subscription that was to have a delivery has one. */
  readonly fannedOut: boolean;
}

/** The messages that publishers put on the bus (Amazon EventBridge user guide, event structure). */
const busEventSchema = z.object({
  id: z.string().regex(EVENT_ID),
  'detail-type': z.enum(SUBSCRIBABLE_TYPES),
  time: z.iso.datetime(),
  detail: z.object({
    account_id: z.string().min(1).max(128),
    data: z.record(z.string(), z.unknown()),
    id: z.string().regex(EVENT_ID).optional(),
  }),
});

/** The event in a message of the bus; undefined when it is not one of ours. */
export function parseBusEvent(message: unknown): PlatformEvent | undefined {
  const parsed = busEventSchema.safeParse(message);
  if (!parsed.success) return undefined;
  const { id, 'detail-type': type, time: created, detail } = parsed.data;
  if (Buffer.byteLength(JSON.stringify(detail.data)) > MAX_DATA_BYTES) return undefined;
  return { accountId: detail.account_id, id: detail.id ?? id, type, created, data: detail.data };
}

/** The body of every delivery of the event, byte for byte the same. */
export function payloadOf({ id, type, created, data }: PlatformEvent): string {
  return JSON.stringify({ id, type, created, data });
}
