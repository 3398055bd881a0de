/** A subscription's item: its fields, and its secrets sealed. */
import * as z from 'zod';
import { type Item, number, readNumber, readText, text } from '../../platform/dynamodb/attribute-values.ts';
import { countsOf } from '../../platform/dynamodb/quota-item.ts';
import { EVENT_TYPES } from '../core/event.ts';
import { DISABLED_REASONS, type Subscription } from '../core/subscription.ts';

const types = z.array(z.enum(EVENT_TYPES));
const reasons = z.enum(DISABLED_REASONS);

/** An account's count of its webhooks, outside its partition, so that no list has it. */
export const webhookCountKey = (accountId: string): Item => ({
  account_id: text(countsOf(accountId)),
  webhook_id: text('webhooks'),
});

export const encodeEvents = (events: Subscription['events']) => ({ L: events.map(text) });

export function encodeSubscription(subscription: Subscription): Item {
  const { accountId, id, url, events, description, status, created } = subscription;
  return {
    account_id: text(accountId),
    webhook_id: text(id),
    url: text(url),
    events: encodeEvents(events),
    ...(description === undefined ? {} : { description: text(description) }),
    status: text(status),
    created: number(created),
    replaced: { L: [] },
  };
}

export function decodeSubscription(item: Item): Subscription {
  return {
    accountId: readText(item, 'account_id'),
    id: readText(item, 'webhook_id'),
    url: readText(item, 'url'),
    events: types.parse(item.events?.L?.map(({ S }) => S)),
    description: item.description?.S,
    status: readText(item, 'status') === 'active' ? 'active' : 'disabled',
    disabledReason: reasons.optional().parse(item.disabled_reason?.S),
    created: readNumber(item, 'created'),
    failingSinceMs: item.failing_since === undefined ? undefined : readNumber(item, 'failing_since'),
    notice: item.notice?.S,
  };
}

/** A secret that was replaced: it signs until `until`, seconds since the epoch. */
export interface ReplacedSecret {
  readonly sealed: Uint8Array;
  readonly until: number;
}

export const encodeReplaced = (secrets: readonly ReplacedSecret[]) => ({
  L: secrets.map(({ sealed, until }) => ({ M: { sealed: { B: sealed }, until: number(until) } })),
});

/** The sealed secrets of an item: the current one, and those that were replaced, latest first. */
export function sealedSecrets(item: Item): {
  readonly current: Uint8Array;
  readonly replaced: readonly ReplacedSecret[];
} {
  const current = item.secret?.B;
  if (current === undefined) throw new Error('attribute secret is not binary');
  const replaced = (item.replaced?.L ?? []).map(({ M: entry = {} }) => {
    if (entry.sealed?.B === undefined) throw new Error('a replaced secret is not binary');
    return { sealed: entry.sealed.B, until: readNumber(entry, 'until') };
  });
  return { current, replaced };
}
