/** The routes of webhooks: subscriptions, and what becomes of their deliveries. */
import { KEY_OR_OWNER, type Route } from '../platform/contract/route.ts';

export const WEBHOOK_ROUTES = [
  {
    ...KEY_OR_OWNER,
    method: 'POST',
    path: '/api/v1/webhooks',
    endpoint: 'create-webhook',
    purpose: 'subscribes a URL to events; shows its signing secret once',
  },
  {
    ...KEY_OR_OWNER,
    method: 'GET',
    path: '/api/v1/webhooks',
    endpoint: 'list-webhooks',
    purpose: 'the account’s webhooks',
  },
  {
    ...KEY_OR_OWNER,
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'get-webhook',
    purpose: 'one webhook, with the results of its latest deliveries',
  },
  {
    ...KEY_OR_OWNER,
    method: 'PATCH',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'update-webhook',
    purpose: 'changes URL, events or status',
  },
  {
    ...KEY_OR_OWNER,
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'delete-webhook',
    purpose: 'ends a webhook',
  },
  {
    ...KEY_OR_OWNER,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate-secret',
    endpoint: 'rotate-webhook-secret',
    purpose: 'new signing secret; the old one signs for 24 hours more',
  },
  {
    ...KEY_OR_OWNER,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    endpoint: 'test-webhook',
    purpose: 'delivers a test event',
  },
  {
    ...KEY_OR_OWNER,
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    endpoint: 'list-deliveries',
    purpose: 'deliveries and their attempts, newest first',
  },
  {
    ...KEY_OR_OWNER,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    endpoint: 'redeliver-webhook',
    purpose: 'delivers an event again now',
  },
  {
    ...KEY_OR_OWNER,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/recover',
    endpoint: 'recover-webhook',
    purpose: 'delivers again what was given up since a time',
  },
] as const satisfies readonly Route[];
