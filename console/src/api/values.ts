/** The values that the service accepts, for selection lists; a test compares them with the service's values. */
import type { UsageEntry, Webhook } from './types.ts';

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

/** The events that a webhook can subscribe to. */
export const EVENTS = [
  'listing.installed',
  'purchase.completed',
  'subscription.created',
  'subscription.canceled',
  'app.build.scanned',
  'release.created',
  'release.rolled_back',
  'review.created',
  'payout.paid',
  'endpoint.disabled',
] as const satisfies readonly Webhook['events'][number][];
