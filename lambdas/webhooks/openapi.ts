/** The descriptions of webhooks. */

import { COMPONENTS } from '../app/components.ts';
import { answer, tagged } from '../platform/contract/operation.ts';
import { ulidPageQuery } from '../platform/core/api/paging.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { recoverySchema } from './core/recovery.ts';
import { createSchema, recoverSchema, testSchema, updateSchema } from './core/request.ts';
import { rotatedSecretSchema } from './core/subscription.ts';

export const WEBHOOK_OPERATIONS = tagged('Webhooks', {
  'create-webhook': {
    description:
      'Deliveries are signed as `X-service-Signature: t=<timestamp>,v1=<hex HMAC-SHA256 of "<t>.<body>">`.',
    body: createSchema,
    answers: { 201: answer('The webhook, with its secret.', COMPONENTS.NewWebhook) },
    errors: [409],
  },
  'list-webhooks': {
    query: ulidPageQuery('wh'),
    answers: { 200: answer('A page of webhooks.', COMPONENTS.WebhookPage) },
  },
  'get-webhook': {
    answers: {
      200: answer(
        'The webhook, with the results of its latest deliveries.',
        COMPONENTS.WebhookWithStatistics,
      ),
    },
  },
  'update-webhook': {
    body: updateSchema,
    answers: { 200: answer('The webhook after the change.', COMPONENTS.Webhook) },
  },
  'delete-webhook': { answers: { 200: answer('The webhook is deleted.', deletedSchema('webhook')) } },
  'rotate-webhook-secret': {
    answers: { 200: answer('The new secret. The old one also signs until it expires.', rotatedSecretSchema) },
    errors: [409],
  },
  'test-webhook': {
    body: testSchema,
    optionalBody: true,
    answers: { 202: answer('The delivery that was started.', COMPONENTS.Delivery) },
  },
  'list-deliveries': {
    query: ulidPageQuery('dlv'),
    answers: { 200: answer('A page of deliveries.', COMPONENTS.DeliveryPage) },
  },
  'redeliver-webhook': { answers: { 202: answer('The delivery that was restarted.', COMPONENTS.Delivery) } },
  'recover-webhook': {
    body: recoverSchema,
    answers: { 202: answer('The number of deliveries that were restarted.', recoverySchema) },
    errors: [409],
  },
});
