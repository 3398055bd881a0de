/** The descriptions of webhooks. */
import { ulidPageQuery } from '../core/api/paging.ts';
import { deletedSchema } from '../core/api/response-schema.ts';
import { recoverySchema } from '../core/webhooks/recovery.ts';
import { createSchema, recoverSchema, testSchema, updateSchema } from '../core/webhooks/request.ts';
import { rotatedSecretSchema } from '../core/webhooks/subscription.ts';
import { COMPONENTS } from './components.ts';
import type { Operation } from './operation.ts';

export const WEBHOOK_OPERATIONS = {
  'create-webhook': {
    tag: 'Webhooks',
    description:
      'Deliveries are signed as `X-service-Signature: t=<timestamp>,v1=<hex HMAC-SHA256 of "<t>.<body>">`.',
    body: createSchema,
    answers: { 201: { description: 'The webhook, with its secret.', schema: COMPONENTS.NewWebhook } },
    errors: [400, 409],
  },
  'list-webhooks': {
    tag: 'Webhooks',
    query: ulidPageQuery('wh'),
    answers: { 200: { description: 'A page of webhooks.', schema: COMPONENTS.WebhookPage } },
    errors: [400],
  },
  'get-webhook': {
    tag: 'Webhooks',
    answers: {
      200: {
        description: 'The webhook, with the results of its latest deliveries.',
        schema: COMPONENTS.WebhookWithStatistics,
      },
    },
    errors: [404],
  },
  'update-webhook': {
    tag: 'Webhooks',
    body: updateSchema,
    answers: { 200: { description: 'The webhook after the change.', schema: COMPONENTS.Webhook } },
    errors: [400, 404],
  },
  'delete-webhook': {
    tag: 'Webhooks',
    answers: { 200: { description: 'The webhook is deleted.', schema: deletedSchema('webhook') } },
    errors: [404],
  },
  'rotate-webhook-secret': {
    tag: 'Webhooks',
    answers: {
      200: {
        description: 'The new secret. The old one also signs until it expires.',
        schema: rotatedSecretSchema,
      },
    },
    errors: [404, 409],
  },
  'test-webhook': {
    tag: 'Webhooks',
    body: testSchema,
    optionalBody: true,
    answers: { 202: { description: 'The delivery that was started.', schema: COMPONENTS.Delivery } },
    errors: [400, 404],
  },
  'list-deliveries': {
    tag: 'Webhooks',
    query: ulidPageQuery('dlv'),
    answers: { 200: { description: 'A page of deliveries.', schema: COMPONENTS.DeliveryPage } },
    errors: [400, 404],
  },
  'redeliver-webhook': {
    tag: 'Webhooks',
    answers: { 202: { description: 'The delivery that was restarted.', schema: COMPONENTS.Delivery } },
    errors: [404],
  },
  'recover-webhook': {
    tag: 'Webhooks',
    body: recoverSchema,
    answers: {
      202: { description: 'The number of deliveries that were restarted.', schema: recoverySchema },
    },
    errors: [400, 404, 409],
  },
} as const satisfies Readonly<Record<string, Operation>>;
