/** The routes of webhooks: subscriptions, and what becomes of their deliveries. */
import type { Route } from './route.ts';

const platform = { api: 'platform', surface: 'platform', response: 'buffered' } as const;

export const WEBHOOK_ROUTES = [
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/webhooks',
    endpoint: 'create-webhook',
    purpose: 'subscribes a URL to events; shows its signing secret once',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/webhooks',
    endpoint: 'list-webhooks',
    purpose: 'the account’s webhooks',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'get-webhook',
    purpose: 'one webhook, with the results of its latest deliveries',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'PATCH',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'update-webhook',
    purpose: 'changes URL, events or status',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'DELETE',
    path: '/api/v1/webhooks/{id}',
    endpoint: 'delete-webhook',
    purpose: 'ends a webhook',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/rotate-secret',
    endpoint: 'rotate-webhook-secret',
    purpose: 'new signing secret; the old one signs for 24 hours more',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/test',
    endpoint: 'test-webhook',
    purpose: 'delivers a test event',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'GET',
    path: '/api/v1/webhooks/{id}/deliveries',
    endpoint: 'list-deliveries',
    purpose: 'deliveries and their attempts, newest first',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    endpoint: 'redeliver-webhook',
    purpose: 'delivers an event again now',
    authentication: 'api-key-or-session',
  },
  {
    ...platform,
    method: 'POST',
    path: '/api/v1/webhooks/{id}/recover',
    endpoint: 'recover-webhook',
    purpose: 'delivers again what was given up since a time',
    authentication: 'api-key-or-session',
  },
] as const satisfies readonly Route[];
