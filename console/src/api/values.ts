/** The values that the service accepts, for selection lists; a test compares them with the service's values. */
import type { ApiKey, UsageEntry, Webhook } from './types.ts';

export type CallKindValue = UsageEntry['kind'];

/** The kinds of calls, with the names that are shown. */
export const KIND_NAMES = {
  chat: 'Chat',
  embeddings: 'Embeddings',
  image: 'Images',
  tts: 'Speech',
  audio: 'Transcription',
} as const satisfies Record<CallKindValue, string>;

/** The same as pairs, as a list to choose from takes them. */
export const KINDS = Object.entries(KIND_NAMES) as readonly (readonly [CallKindValue, string])[];

/** The paths to which calls of each kind are sent. */
export const KIND_PATHS = {
  chat: '/v1/chat/completions',
  embeddings: '/v1/embeddings',
  image: '/v1/images/generations',
  tts: '/v1/audio/speech',
  audio: '/v1/audio/transcriptions',
} as const satisfies Record<CallKindValue, string>;

export const STATUSES = [
  'completed',
  'interrupted',
  'failed',
  'expired',
] as const satisfies readonly UsageEntry['status'][];

/** The meaning of each status. A record has no further reason: the client received the error. */
export const STATUS_TEXTS = {
  completed: 'The client received the whole response.',
  interrupted: 'The response broke off. What was delivered is charged.',
  failed: 'No route of the model could serve it. Nothing is charged; your client received the error.',
  expired: 'The call ended without a result, and its hold was released. Nothing is charged.',
} as const satisfies Record<UsageEntry['status'], string>;

/** The least and the most that an order of credit may be, in USD. */
export const ORDER_USD = { min: '0.5', max: '10000' } as const;

/** The requests a minute of a key whose policy sets none. */
export const DEFAULT_RPM = 100;

/** The events that a webhook can subscribe to, and what raises each. */
export const EVENT_CAUSES = {
  'listing.installed': 'Somebody installs one of your listings.',
  'purchase.completed': 'Somebody has bought one of your listings.',
  'subscription.created': 'Somebody subscribes to one of your listings.',
  'subscription.updated': 'A subscription to one of your listings is renewed or changed.',
  'subscription.canceled': 'A subscription to one of your listings ends.',
  'app.build.scanned': 'A build of an app finishes its malware scan.',
  'release.created': 'You publish a release of one of your listings.',
  'release.rolled_back': 'You make an earlier release current again.',
  'review.created': 'Somebody reviews one of your listings.',
  'payout.paid': 'A payout settles to your account.',
  'endpoint.disabled': 'One of your webhooks is disabled after failed deliveries.',
  'balance.low': 'Your credit falls below a threshold that you set under Billing.',
  'credit.exhausted': 'A call is rejected because your credit does not cover it.',
} as const satisfies Partial<Record<Webhook['events'][number], string>>;

export type EventName = keyof typeof EVENT_CAUSES;

export const EVENTS = Object.keys(EVENT_CAUSES) as readonly EventName[];

/** The events of money reach only webhooks that name them, so that no form chooses them by itself. */
export const EVENTS_OF_MONEY: readonly EventName[] = ['balance.low', 'credit.exhausted'];

export const EVENTS_WITHOUT_MARKET: readonly EventName[] = ['endpoint.disabled', ...EVENTS_OF_MONEY];

/** The sizes of pictures. */
export const IMAGE_SIZES = ['512x512', '768x768', '1024x1024', '1024x768', '768x1024'] as const;

/** The largest zip of a build. */
export const MAX_BUILD_BYTES = 52_428_800;

/** The shortest payout, in USD. */
export const MIN_PAYOUT_USD = '10';

/** The countries whose sellers are paid. */
export const PAYOUT_COUNTRIES =
  'AT BE BG CA CH CY CZ DE DK EE ES FI FR GB GR HR HU IE IS IT LI LT LU LV MT NL NO PL PT RO SE SI SK US'.split(
    ' ',
  );

/** The headers in a text with one a line, such as `authorization: Bearer abc`. */
export const headersOf = (text: string): Readonly<Record<string, string>> =>
  Object.fromEntries(
    text.split('\n').flatMap((line) => {
      const [, name, value] = /^\s*([^:]*?)\s*:\s*(.*?)\s*$/.exec(line) ?? [];
      if (name !== undefined && value !== undefined) return [[name, value]];
      // A line that is no header is rejected under its own name.
      return line.trim() === '' ? [] : [[line.trim(), '']];
    }),
  );

/** A value to choose, with its text. */
export type Option = readonly [value: string, text: string];

/**
 * Returns the keys of the account, once they have arrived, then the revoked ones of calls. Those may share a name, so the end
 * of their id follows.
 */
export function keyOptions(
  keys: readonly Pick<ApiKey, 'id' | 'name'>[] | undefined,
  calls: readonly Pick<UsageEntry, 'api_key' | 'key_name'>[],
): readonly Option[] {
  if (keys === undefined) return [];
  const options = new Map(keys.map(({ id, name }) => [id, name]));
  for (const { api_key: id, key_name: name } of calls)
    if (!options.has(id)) options.set(id, `${name ?? 'Key'} (revoked, …${id.slice(-4)})`);
  return [...options];
}
