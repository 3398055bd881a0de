/** The ports of webhooks: stores, the queue of attempt triggers, sending and publishing. */
import type { Page, PageQuery } from '../../platform/core/api/paging.ts';
import type { DeadReason, Delivery, DeliveryAttempt, DeliveryOutcome } from './delivery.ts';
import type { PlatformEvent, PublishedEvent, StoredEvent } from './event.ts';
import type { DisabledReason, Subscription } from './subscription.ts';

/** Identifies one account's subscription: it cannot be read under another account. */
export interface SubscriptionKey {
  readonly accountId: string;
  readonly id: string;
}

export interface SubscriptionChanges {
  readonly url?: string | undefined;
  readonly events?: Subscription['events'] | undefined;
  readonly description?: string | undefined;
  readonly status?: Subscription['status'] | undefined;
}

export interface SubscriptionStore {
  get(key: SubscriptionKey): Promise<Subscription | undefined>;
  /** Oldest first. */
  list(query: PageQuery & { readonly accountId: string }): Promise<Page<Subscription>>;
}

/** The health of a subscription's receiver; each call does nothing when the URL has changed meanwhile. */
export interface SubscriptionHealth {
  /** Notes the first failure after a success. */
  markFailing(subscription: Subscription, nowMs: number): Promise<void>;
  markHealthy(subscription: Subscription): Promise<void>;
  /** Disables it and leaves a notice to publish; false when it was disabled or healthy already. */
  disable(subscription: Subscription, reason: DisabledReason, notice: string): Promise<boolean>;
  clearNotice(subscription: Subscription, notice: string): Promise<void>;
}

/** Signing secrets, encrypted at rest. */
export interface SigningSecretStore {
  /** The subscription with every active secret, the current one first. */
  open(key: SubscriptionKey, nowMs: number): Promise<OpenedSubscription | undefined>;
}

export interface EventStore {
  /** Stores an event, once: returns what is stored under its id. */
  put(event: PlatformEvent, receivedMs: number): Promise<StoredEvent>;
  get(accountId: string, eventId: string): Promise<StoredEvent | undefined>;
  markFannedOut(event: StoredEvent): Promise<void>;
}

/** The exclusive right to make one attempt, until that time. */
export interface DeliveryClaim {
  readonly id: string;
  readonly untilMs: number;
}

export interface DeliveryKey {
  readonly webhookId: string;
  readonly id: string;
}

/** `delivery` is the state after the claim, or the current state if the claim was rejected. */
export interface ClaimResult {
  readonly granted: boolean;
  readonly delivery: Delivery | undefined;
}

export interface ClaimRequest {
  /** The attempt to make; only the one that follows those that have ended may be claimed. */
  readonly attempt: number;
  readonly claim: DeliveryClaim;
  readonly nowMs: number;
}

export interface AttemptEnd {
  readonly claim: DeliveryClaim;
  /** Absent when the delivery ends without an attempt. */
  readonly attempt?: DeliveryAttempt;
  readonly status: Delivery['status'];
  readonly deadReason?: DeadReason;
  /** The time at which the next attempt is due. */
  readonly dueMs?: number;
}

export interface DeliveryQuery extends PageQuery {
  readonly webhookId: string;
  readonly order: 'newest' | 'oldest';
}

export interface DeliveryStore {
  /** Creates it, once: returns what is stored under its id. */
  create(delivery: Delivery): Promise<Delivery>;
  get(key: DeliveryKey): Promise<Delivery | undefined>;
  list(query: DeliveryQuery): Promise<Page<Delivery>>;
  /** Granted if the delivery is pending, the attempt is its next and no other process has claimed it. */
  claim(key: DeliveryKey, request: ClaimRequest): Promise<ClaimResult>;
  /** Claims like `claim`, for a delivery in the state that was read: starts a new round of 24 hours. */
  revive(delivery: Delivery, request: ClaimRequest, deadlineMs: number): Promise<ClaimResult>;
  /** Ends what was claimed; does nothing if another process has claimed it since. */
  end(delivery: Delivery, end: AttemptEnd): Promise<void>;
}

/**
 * Triggers an attempt. May arrive twice, late and in any order: the delivery's state determines if the attempt is made.
 */
export interface AttemptTrigger {
  readonly accountId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** The attempt to make. */
  readonly attempt: number;
  /** Requested by the owner: delivers again what was delivered, and to a disabled subscription. */
  readonly manual?: boolean;
}

/** `deliveries` for healthy receivers; `retries` for receivers that may take the whole timeout to fail. */
export const LANES = ['deliveries', 'retries'] as const;
export type Lane = (typeof LANES)[number];

export interface TriggerQueue {
  /** Resolves when all are stored. */
  enqueue(triggers: readonly AttemptTrigger[], lane: Lane): Promise<void>;
  /** In the lane of retries, at or soon after that time. */
  schedule(trigger: AttemptTrigger, atMs: number): Promise<void>;
  /** Stores it for an operator. */
  deadLetter(trigger: AttemptTrigger): Promise<void>;
}

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
}

export interface SendResult {
  readonly outcome: DeliveryOutcome;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly body?: string;
  /** Another attempt would fail likewise: the delivery is given up, and no operator's queue gets it. */
  readonly isFinal?: boolean;
}

/** A subscription with its secrets, the current one first. */
export interface OpenedSubscription {
  readonly subscription: Subscription;
  readonly secrets: readonly string[];
}

/** Posts an event in a form of its own, within 10 seconds; never throws for a failure of the receiver. */
export type PostEvent = (opened: OpenedSubscription, event: StoredEvent) => Promise<SendResult>;

/** Posts once, within the receiver's time; never throws. */
export type Send = (request: SendRequest) => Promise<SendResult>;

/** Puts an event on the platform's bus. */
export type Publish = (event: PublishedEvent) => Promise<void>;
