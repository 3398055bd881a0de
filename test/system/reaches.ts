/** How each route that knows who asks could reach for what is another's, for the test that nothing is reached. */
import type { Route } from '../../lambdas/contract/route.ts';
import type { Owner } from './owner.ts';

/** What belongs to one account. */
export interface Belongings {
  readonly accountId: string;
  readonly owner: Owner;
  readonly keyId: string;
  readonly key: string;
  readonly orderId: string;
  readonly requestId: string;
  readonly webhookId: string;
  readonly deliveryId: string;
  /** By collection: `apps` and `ai-agents`. */
  readonly listingIds: Readonly<Record<string, string>>;
}

/** Nothing listens there: what is sent to it fails, and waits. */
export const RECEIVER = 'http://127.0.0.1:9/';

let listings = 0;
/** The fields of a listing that there is not yet. */
export const newListing = () => {
  listings += 1;
  return { name: `Listing ${listings}`, summary: 'A summary.', category: 'tools' };
};

interface Reach {
  /** The path and body that reach for what belongs to somebody; undefined when the route names nothing. */
  readonly path?: (of: Named, route: Route) => string;
  readonly body?: object | (() => object);
  /** What the owner alone may do to a thing that everybody sees is 403; what anybody may do to it succeeds. */
  readonly publicThing?: 'owner-acts' | 'anybody-acts';
  /** Whoever asks cannot ask again. */
  readonly endsSession?: true;
}

type Named = Omit<Belongings, 'accountId' | 'owner'>;

const ofWebhook = { path: ({ webhookId }: Named, { path }: Route) => path.replace('{id}', webhookId) };
const ofListing = {
  path: ({ listingIds }: Named, { path }: Route) =>
    path.replace('{id}', listingIds[path.split('/')[1] ?? ''] ?? '').replace('{version}', '1.0.0'),
};
const ofOwner = { ...ofListing, publicThing: 'owner-acts' } as const;
const ofAnybody = { ...ofListing, publicThing: 'anybody-acts' } as const;

/** How each route that knows who asks could reach for what is another's. A new such route needs a row. */
export const REACHES: Readonly<Record<string, Reach>> = {
  'get-account': {},
  'delete-session': { body: { everywhere: true }, endsSession: true },
  'create-key': { body: { name: 'new' } },
  'list-keys': {},
  'update-key': { path: ({ keyId }) => `/api-keys/${keyId}`, body: { disabled: true, name: 'taken over' } },
  'delete-key': { path: ({ keyId }) => `/api-keys/${keyId}` },
  'rotate-key': { path: ({ keyId }) => `/api-keys/${keyId}/rotate`, body: { overlap_seconds: 0 } },
  'create-order': { body: { amount: 1, currency: 'USD' } },
  'list-orders': {},
  'get-order': { path: ({ orderId }) => `/api/orders/${orderId}` },
  'get-credits': { path: ({ keyId }) => `/credits/${keyId}` },
  'list-usage': {},
  'get-usage': { path: ({ requestId }) => `/v1/usage/${requestId}` },
  'count-message-tokens': {
    body: { model: 'sim/chat', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] },
  },
  'create-webhook': { body: { url: RECEIVER, events: ['review.created'] } },
  'list-webhooks': {},
  'get-webhook': ofWebhook,
  'update-webhook': { ...ofWebhook, body: { events: ['payout.paid'] } },
  'delete-webhook': ofWebhook,
  'rotate-webhook-secret': ofWebhook,
  'test-webhook': { ...ofWebhook, body: {} },
  'list-deliveries': ofWebhook,
  'redeliver-webhook': {
    path: (of, route) => ofWebhook.path(of, route).replace('{delivery_id}', of.deliveryId),
  },
  'recover-webhook': { ...ofWebhook, body: { since: '2026-01-01T00:00:00Z' } },
  'create-listing': { body: newListing },
  'update-listing': { ...ofOwner, body: { name: 'Taken over' } },
  'delete-listing': ofOwner,
  'create-release': { ...ofOwner, body: { version: '6.6.6' } },
  'rollback-release': ofOwner,
  'install-listing': ofAnybody,
  'purchase-listing': { ...ofAnybody, body: { amount: 0 } },
  'create-review': { ...ofAnybody, body: { rating: 1 } },
};

/** What nobody has. */
export const NOBODYS: Named = {
  keyId: `key_${'0'.repeat(26)}`,
  orderId: `ord_${'0'.repeat(26)}`,
  requestId: `req_${'0'.repeat(26)}`,
  key: `uis_${'0'.repeat(124)}`,
  webhookId: `wh_${'0'.repeat(26)}`,
  deliveryId: `dlv_${'0'.repeat(26)}`,
  listingIds: { apps: `lst_${'0'.repeat(26)}`, 'ai-agents': `lst_${'0'.repeat(26)}` },
};
