/** The descriptions of webhooks. */

import { accepted, created, ok, tagged } from '../platform/contract/operation.ts';
import { pageSchema, ulidPageQuery } from '../platform/core/api/paging.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { deliverySchema } from './core/delivery.ts';
import { SUBSCRIBABLE_TYPES } from './core/event.ts';
import { recoverySchema } from './core/recovery.ts';
import { createSchema, recoverSchema, testSchema, updateSchema } from './core/request.ts';
import {
  newSubscriptionSchema,
  rotatedSecretSchema,
  subscriptionSchema,
  subscriptionWithStatisticsSchema,
} from './core/subscription.ts';

export const WEBHOOK_COMPONENTS = {
  Webhook: subscriptionSchema,
  WebhookPage: pageSchema(subscriptionSchema),
  WebhookWithStatistics: subscriptionWithStatisticsSchema,
  NewWebhook: newSubscriptionSchema,
  Delivery: deliverySchema,
  DeliveryPage: pageSchema(deliverySchema),
};

export const WEBHOOK_OPERATIONS = tagged('Webhooks', {
  'create-webhook': {
    description:
      'Deliveries are signed as `X-service-Signature: t=<timestamp>,v1=<hex HMAC-SHA256 of "<t>.<body>">`.',
    body: createSchema,
    example: { url: 'https://example.com/hook', events: SUBSCRIBABLE_TYPES.slice(0, 2) },
    responses: created('The webhook, with its secret.', newSubscriptionSchema),
    errors: [403, 409],
  },
  'list-webhooks': {
    query: ulidPageQuery('wh'),
    responses: ok('A page of webhooks.', WEBHOOK_COMPONENTS.WebhookPage),
    errors: [403],
  },
  'get-webhook': {
    responses: ok(
      'The webhook, with the results of its latest deliveries.',
      subscriptionWithStatisticsSchema,
    ),
    errors: [403],
  },
  'update-webhook': {
    body: updateSchema,
    example: { description: 'Sales', status: 'active' },
    responses: ok('The webhook after the change.', subscriptionSchema),
    errors: [403, 409],
  },
  'delete-webhook': {
    responses: ok('The webhook is deleted.', deletedSchema('webhook')),
    errors: [403],
  },
  'rotate-webhook-secret': {
    responses: ok('The new secret. The old one also signs until it expires.', rotatedSecretSchema),
    errors: [403, 409],
  },
  'test-webhook': {
    body: testSchema,
    example: { type: SUBSCRIBABLE_TYPES[0] },
    optionalBody: true,
    responses: accepted('The delivery that was started.', deliverySchema),
    errors: [403],
  },
  'list-deliveries': {
    query: ulidPageQuery('dlv'),
    responses: ok('A page of deliveries.', WEBHOOK_COMPONENTS.DeliveryPage),
    errors: [403],
  },
  'redeliver-webhook': {
    responses: accepted('The delivery that was restarted.', deliverySchema),
    errors: [403],
  },
  'recover-webhook': {
    body: recoverSchema,
    example: { since: '2026-11-01T00:00:00Z' },
    responses: accepted('The number of deliveries that were restarted.', recoverySchema),
    errors: [403, 409],
  },
});
