/** The routes of webhooks: subscriptions, and what becomes of their deliveries. */
import { keyOrOwner, type Route } from '../platform/contract/route.ts';

export const WEBHOOK_ROUTES = [
  keyOrOwner(
    'POST /api/v1/webhooks',
    'create-webhook',
    'subscribes a URL to events; shows its signing secret once',
  ),
  keyOrOwner('GET /api/v1/webhooks', 'list-webhooks', 'the account’s webhooks'),
  keyOrOwner(
    'GET /api/v1/webhooks/{id}',
    'get-webhook',
    'one webhook, with the results of its latest deliveries',
  ),
  keyOrOwner('PATCH /api/v1/webhooks/{id}', 'update-webhook', 'changes URL, events or status'),
  keyOrOwner('DELETE /api/v1/webhooks/{id}', 'delete-webhook', 'ends a webhook'),
  keyOrOwner(
    'POST /api/v1/webhooks/{id}/rotate-secret',
    'rotate-webhook-secret',
    'new signing secret; the old one signs for 24 hours more',
  ),
  keyOrOwner('POST /api/v1/webhooks/{id}/test', 'test-webhook', 'delivers a test event'),
  keyOrOwner(
    'GET /api/v1/webhooks/{id}/deliveries',
    'list-deliveries',
    'deliveries and their attempts, newest first',
  ),
  keyOrOwner(
    'POST /api/v1/webhooks/{id}/deliveries/{delivery_id}/redeliver',
    'redeliver-webhook',
    'delivers an event again now',
  ),
  keyOrOwner(
    'POST /api/v1/webhooks/{id}/recover',
    'recover-webhook',
    'delivers again what was given up since a time',
  ),
] as const satisfies readonly Route[];
