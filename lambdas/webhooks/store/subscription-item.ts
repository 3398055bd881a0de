/** A subscription's item: its fields, and its secrets sealed. */
import * as z from 'zod';
import { type Item, number, readNumber, text } from '../../platform/dynamodb/attribute-values.ts';
import { asNumber, asOneOf, asText, attribute, codec, optional } from '../../platform/dynamodb/codec.ts';
import { countsOf } from '../../platform/dynamodb/quota-item.ts';
import { SUBSCRIBABLE_TYPES } from '../core/event.ts';
import { DISABLED_REASONS, SUBSCRIPTION_STATUSES, type Subscription } from '../core/subscription.ts';

const types = z.array(z.enum(SUBSCRIBABLE_TYPES));

/** An account's count of its webhooks, outside its partition, so that no list has it. */
export const webhookCountKey = (accountId: string): Item => ({
  account_id: text(countsOf(accountId)),
  webhook_id: text('webhooks'),
});

export const SUBSCRIPTION = codec<Subscription>({
  accountId: asText('account_id'),
  id: asText('webhook_id'),
  url: asText('url'),
  events: attribute(
    'events',
    (events) => ({ L: events.map(text) }),
    (item, name) => types.parse(item[name]?.L?.map(({ S }) => S)),
  ),
  description: optional(asText('description')),
  status: asOneOf('status', SUBSCRIPTION_STATUSES),
  disabledReason: optional(asOneOf('disabled_reason', DISABLED_REASONS)),
  created: asNumber('created'),
  failingSinceMs: optional(asNumber('failing_since')),
  notice: optional(asText('notice')),
});

/** A secret that was replaced: it signs until `until`, seconds since the epoch. */
export interface ReplacedSecret {
  readonly sealed: Uint8Array;
  readonly until: number;
}

export const encodeReplaced = (secrets: readonly ReplacedSecret[]) => ({
  replaced: {
    L: secrets.map(({ sealed, until }) => ({ M: { sealed: { B: sealed }, until: number(until) } })),
  },
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
