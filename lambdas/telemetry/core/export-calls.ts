/** From settled calls to a delivery for each receiver of telemetry; safe to repeat after any crash. */
import { createHash } from 'node:crypto';
import type { Clock } from '../../platform/core/ports.ts';
import { CALLS_SETTLED } from '../../webhooks/core/event.ts';
import { laneOf, newDelivery, triggerOf } from '../../webhooks/core/fan-out.ts';
import type {
  DeliveryStore,
  EventStore,
  SubscriptionStore,
  TriggerQueue,
} from '../../webhooks/core/ports.ts';
import type { Subscription } from '../../webhooks/core/subscription.ts';
import { destinationKey, OPERATOR } from './destination.ts';

/** A call whose record was written. */
export interface SettledCall {
  /** The request id. */
  readonly id: string;
  readonly accountId: string;
  /** The record as it is stored, which JSON can contain. */
  readonly item: object;
}

export interface ExportDependencies {
  /** The destination of an owner. */
  readonly find: (owner: string) => Promise<Subscription | undefined>;
  readonly events: Pick<EventStore, 'put'>;
  readonly deliveries: Pick<DeliveryStore, 'create'>;
  readonly triggers: Pick<TriggerQueue, 'enqueue'>;
  readonly clock: Clock;
}

/** Stores the calls for the destination of each account and for the operator's, and triggers the deliveries. */
export async function exportCalls(
  dependencies: ExportDependencies,
  calls: readonly SettledCall[],
): Promise<void> {
  const byOwner = new Map([...Map.groupBy(calls, ({ accountId }) => accountId), [OPERATOR, calls]]);
  await Promise.all([...byOwner].map(([owner, own]) => exportTo(dependencies, owner, own)));
}

async function exportTo(
  { find, events, deliveries, triggers, clock }: ExportDependencies,
  owner: string,
  calls: readonly SettledCall[],
): Promise<void> {
  const destination = calls.length === 0 ? undefined : await find(owner);
  if (destination?.status !== 'active') return;
  // The same calls again are the same event.
  const digest = createHash('sha256').update(calls.map(({ id }) => id).join(' '));
  const published = {
    accountId: destinationKey(owner).accountId,
    id: `calls_${digest.digest('hex').slice(0, 32)}`,
    type: CALLS_SETTLED,
    created: new Date(clock()).toISOString(),
    data: { calls: calls.map(({ item }) => item) },
  } as const;
  const event = await events.put(published, clock());
  const delivery = await deliveries.create(newDelivery(event, destination.id, clock()));
  // A delivery with an attempt has its own trigger; one without may have lost it in a crash.
  if (delivery.attempts === 0) await triggers.enqueue([triggerOf(delivery)], laneOf(destination));
}

/** Destinations that a process remembers, those that do not exist included. */
export const MAX_REMEMBERED = 10_000;

/** A new destination gets calls so many milliseconds later at most; without any, a process reads one so often. */
export const REMEMBERED_MS = 15_000;

/** Returns a function that finds destinations, each of which it reads once in a while. */
export function rememberedDestinations(
  subscriptions: Pick<SubscriptionStore, 'get'>,
  clock: Clock,
  remembered: Map<string, { readonly atMs: number; readonly found: Promise<Subscription | undefined> }>,
): ExportDependencies['find'] {
  return (owner) => {
    const known = remembered.get(owner);
    if (known !== undefined && clock() - known.atMs < REMEMBERED_MS) return known.found;
    const found = subscriptions.get(destinationKey(owner));
    remembered.set(owner, { atMs: clock(), found });
    // The next batch reads again what could not be read.
    found.catch(() => remembered.delete(owner));
    return found;
  };
}
