/** The descriptions of webhooks. */
import * as z from 'zod';
import { pageQuery } from '../core/webhooks/paging.ts';
import { createSchema, recoverSchema, testSchema, updateSchema } from '../core/webhooks/request.ts';
import { deleted } from './account-operations.ts';
import { component, pageOf } from './components.ts';
import type { Operation } from './operation.ts';

export const WEBHOOK_OPERATIONS = {
  'create-webhook': {
    tag: 'Webhooks',
    description:
      'Deliveries are signed as `X-service-Signature: t=<timestamp>,v1=<hex HMAC-SHA256 of "<t>.<body>">`.',
    body: createSchema,
    answers: { 201: { description: 'The webhook, with its secret.', schema: component('NewWebhook') } },
    errors: [400, 409],
  },
  'list-webhooks': {
    tag: 'Webhooks',
    query: pageQuery('wh'),
    answers: { 200: { description: 'A page of webhooks.', schema: pageOf('Webhook') } },
    errors: [400],
  },
  'get-webhook': {
    tag: 'Webhooks',
    answers: {
      200: { description: 'The webhook, with how its deliveries fare.', schema: component('Webhook') },
    },
    errors: [404],
  },
  'update-webhook': {
    tag: 'Webhooks',
    body: updateSchema,
    answers: { 200: { description: 'The webhook as it is now.', schema: component('Webhook') } },
    errors: [400, 404],
  },
  'delete-webhook': {
    tag: 'Webhooks',
    answers: { 200: { description: 'It is gone.', schema: deleted('webhook') } },
    errors: [404],
  },
  'rotate-webhook-secret': {
    tag: 'Webhooks',
    answers: {
      200: {
        description: 'The new secret; the old one signs beside it until it expires.',
        schema: z.object({
          id: z.string(),
          object: z.literal('webhook'),
          secret: z.string(),
          previous_secret_expires: z.int(),
        }),
      },
    },
    errors: [404, 409],
  },
  'test-webhook': {
    tag: 'Webhooks',
    body: testSchema,
    optionalBody: true,
    answers: { 202: { description: 'The delivery that was begun.', schema: component('Delivery') } },
    errors: [400, 404],
  },
  'list-deliveries': {
    tag: 'Webhooks',
    query: pageQuery('dlv'),
    answers: { 200: { description: 'A page of deliveries.', schema: pageOf('Delivery') } },
    errors: [400, 404],
  },
  'redeliver-webhook': {
    tag: 'Webhooks',
    answers: { 202: { description: 'The delivery, begun again.', schema: component('Delivery') } },
    errors: [404],
  },
  'recover-webhook': {
    tag: 'Webhooks',
    body: recoverSchema,
    answers: {
      202: { description: 'How many deliveries were begun again.', schema: z.looseObject({}) },
    },
    errors: [400, 404, 409],
  },
} as const satisfies Readonly<Record<string, Operation>>;
