/** What webhooks ask of the world: three stores, a way to be woken up, a way to send and a way to publish. */
import type { Attempt, DeadReason, Delivery, Outcome } from './delivery.ts';
import type { PlatformEvent, PublishedEvent, StoredEvent } from './event.ts';
import type { DisabledReason, Subscription } from './subscription.ts';

/** Names one account's subscription: nobody finds it under another account. */
export interface SubscriptionKey {
  readonly accountId: string;
  readonly id: string;
}

export interface SubscriptionPage {
  readonly subscriptions: readonly Subscription[];
  /** Where the next page begins; undefined on the last one. */
  readonly next: string | undefined;
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
  list(query: {
    readonly accountId: string;
    readonly limit: number;
    readonly after?: string | undefined;
  }): Promise<SubscriptionPage>;
  /** Returns the subscription as it is then; undefined when there is none. A new URL or status forgets past failures. */
  update(key: SubscriptionKey, changes: SubscriptionChanges): Promise<Subscription | undefined>;
  /** False when there was none. */
  remove(key: SubscriptionKey): Promise<boolean>;
}

/** The subscription's history as its deliveries see it; each call does nothing when the URL has changed meanwhile. */
export interface SubscriptionHealth {
  /** Notes the first failure after a success. */
  markFailing(subscription: Subscription, nowMs: number): Promise<void>;
  markHealthy(subscription: Subscription): Promise<void>;
  /** Puts it out of force and leaves a notice to publish; false when it was out of force or well already. */
  disable(subscription: Subscription, reason: DisabledReason, notice: string): Promise<boolean>;
  clearNotice(subscription: Subscription, notice: string): Promise<void>;
}

/** Signing secrets, readable by nobody else at rest. */
export interface SigningSecretStore {
  /** Writes a new subscription down; `full` when its account has `most` already. */
  create(subscription: Subscription, secret: string, most: number): Promise<'created' | 'full'>;
  /** The subscription with every secret in force, the current one first. */
  open(
    key: SubscriptionKey,
    nowMs: number,
  ): Promise<{ readonly subscription: Subscription; readonly secrets: readonly string[] } | undefined>;
  /** Puts a new secret in force; the old one goes on signing until `until` (seconds since the epoch). */
  rotate(
    key: SubscriptionKey,
    secret: string,
    times: { readonly nowMs: number; readonly until: number },
  ): Promise<'rotated' | 'conflict' | 'absent'>;
}

export interface EventStore {
  /** Takes an event in, once: returns what is stored under its id, whoever was first. */
  put(event: PlatformEvent, receivedMs: number): Promise<StoredEvent>;
  get(accountId: string, eventId: string): Promise<StoredEvent | undefined>;
  markFannedOut(event: StoredEvent): Promise<void>;
}

/** The right to make one attempt, until it ends. */
export interface Lease {
  readonly id: string;
  readonly untilMs: number;
}

export interface DeliveryKey {
  readonly webhookId: string;
  readonly id: string;
}

/** `delivery` is as it is after the claim, or as it was found when the claim was refused. */
export interface ClaimResult {
  readonly granted: boolean;
  readonly delivery: Delivery | undefined;
}

export interface Claim {
  /** The attempt to be made; only the one that follows those that have ended may be claimed. */
  readonly attempt: number;
  readonly lease: Lease;
  readonly nowMs: number;
}

export interface AttemptEnd {
  readonly lease: Lease;
  /** Absent when the delivery ends without an attempt. */
  readonly attempt?: Attempt;
  readonly status: Delivery['status'];
  readonly deadReason?: DeadReason;
  /** When the next attempt is due. */
  readonly dueMs?: number;
}

export interface DeliveryPage {
  readonly deliveries: readonly Delivery[];
  readonly next: string | undefined;
}

export interface DeliveryQuery {
  readonly webhookId: string;
  readonly limit: number;
  readonly order: 'newest' | 'oldest';
  /** The id before the page's first. */
  readonly after?: string | undefined;
}

export interface DeliveryStore {
  /** Creates it, once: returns what is stored under its id. */
  create(delivery: Delivery): Promise<Delivery>;
  get(key: DeliveryKey): Promise<Delivery | undefined>;
  list(query: DeliveryQuery): Promise<DeliveryPage>;
  /** Granted when the delivery is pending, the attempt is its next and nobody else holds a lease. */
  claim(key: DeliveryKey, claim: Claim): Promise<ClaimResult>;
  /** As `claim`, for a delivery in the state that was found: begins a new round of 24 hours. */
  revive(found: Delivery, claim: Claim, deadlineMs: number): Promise<ClaimResult>;
  /** Ends what was claimed; does nothing when the lease is no longer held. */
  end(delivery: Delivery, end: AttemptEnd): Promise<void>;
}

/** Asks for an attempt. Wakes may come twice, late and in any order: the delivery says whether one is of use. */
export interface Wake {
  readonly accountId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  readonly eventId: string;
  /** The attempt to be made. */
  readonly attempt: number;
  /** Asked for by the owner: delivers what is delivered already, and to a subscription that is out of force. */
  readonly manual?: boolean;
}

/** `deliveries` for receivers that are well; `retries` for what may take its whole time to fail. */
export const LANES = ['deliveries', 'retries'] as const;
export type Lane = (typeof LANES)[number];

export interface WakeQueue {
  /** Resolves when all are kept safe. */
  now(wakes: readonly Wake[], lane: Lane): Promise<void>;
  /** In the lane of retries, at or soon after that time. */
  later(wake: Wake, atMs: number): Promise<void>;
  /** Keeps it for an operator. */
  dead(wake: Wake): Promise<void>;
}

export interface SendRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

export interface SendResult {
  readonly outcome: Outcome;
  readonly status?: number;
  readonly retryAfter?: string;
  readonly body?: string;
}

/** Posts once, within the receiver's time; never throws. */
export type Send = (request: SendRequest) => Promise<SendResult>;

/** Puts an event on the platform's bus. */
export type Publish = (event: PublishedEvent) => Promise<void>;
