/** How each route that knows who asks could reach for what is another's, for the test that nothing is reached. */
import type { Route } from '../../lambdas/contract/routes.ts';
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
}

/** Nothing listens there: what is sent to it fails, and waits. */
export const RECEIVER = 'http://127.0.0.1:9/';

interface Reach {
  /** The path and body that reach for what belongs to somebody; undefined when the route names nothing. */
  readonly path?: (of: Named, route: Route) => string;
  readonly body?: object;
}

type Named = Omit<Belongings, 'accountId' | 'owner'>;

const ofWebhook = { path: ({ webhookId }: Named, { path }: Route) => path.replace('{id}', webhookId) };
/** How each route that knows who asks could reach for what is another's. A new such route needs a row. */
export const REACHES: Readonly<Record<string, Reach>> = {
  'get-account': {},
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
};

/** What nobody has. */
export const NOBODYS: Named = {
  keyId: `key_${'0'.repeat(26)}`,
  orderId: `ord_${'0'.repeat(26)}`,
  requestId: `req_${'0'.repeat(26)}`,
  key: `uis_${'0'.repeat(124)}`,
  webhookId: `wh_${'0'.repeat(26)}`,
  deliveryId: `dlv_${'0'.repeat(26)}`,
};
