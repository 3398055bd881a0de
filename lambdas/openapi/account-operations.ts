/** The descriptions of sign-in, API keys, credit and orders. */
import * as z from 'zod';
import { createKeyRequest, rotateKeyRequest, updateKeyRequest } from '../core/access/key-requests.ts';
import { signedOutSchema, signInRequest, signOutRequest } from '../core/access/session-requests.ts';
import { deletedSchema } from '../core/api/response-schema.ts';
import { createOrderRequest, ordersQuery } from '../core/payments/order-requests.ts';
import { COMPONENTS } from './components.ts';
import type { Operation } from './operation.ts';

export const ACCOUNT_OPERATIONS = {
  'create-session': {
    tag: 'Accounts',
    body: signInRequest,
    answers: { 200: { description: 'A session.', schema: COMPONENTS.SignedIn } },
    errors: [400, 401, 404, 503],
  },
  'get-account': {
    tag: 'Accounts',
    answers: { 200: { description: 'The account.', schema: COMPONENTS.Account } },
  },
  'delete-session': {
    tag: 'Accounts',
    description: 'Later requests with the same token are refused with 401.',
    body: signOutRequest,
    optionalBody: true,
    answers: {
      200: { description: 'The session has ended.', schema: signedOutSchema },
    },
    errors: [400],
  },
  'create-key': {
    tag: 'Accounts',
    body: createKeyRequest,
    answers: { 201: { description: 'The key, with its secret text.', schema: COMPONENTS.NewApiKey } },
    errors: [400, 409],
  },
  'list-keys': {
    tag: 'Accounts',
    answers: { 200: { description: 'Every key, without its text.', schema: COMPONENTS.ApiKeyPage } },
  },
  'update-key': {
    tag: 'Accounts',
    body: updateKeyRequest,
    answers: { 200: { description: 'The key after the change.', schema: COMPONENTS.ApiKey } },
    errors: [400, 404, 409],
  },
  'delete-key': {
    tag: 'Accounts',
    answers: { 200: { description: 'The key is revoked.', schema: deletedSchema('api_key') } },
    errors: [404],
  },
  'rotate-key': {
    tag: 'Accounts',
    body: rotateKeyRequest,
    optionalBody: true,
    answers: { 200: { description: 'The key, with its new secret text.', schema: COMPONENTS.NewApiKey } },
    errors: [400, 404, 409],
  },
  'get-credits': {
    tag: 'Usage',
    description:
      'Of the calling key, by its id or its text; an owner’s session may name any key of the account.',
    answers: { 200: { description: 'The balance.', schema: COMPONENTS.CreditBalance } },
    errors: [404],
  },
  'create-order': {
    tag: 'Payments',
    body: createOrderRequest,
    answers: { 201: { description: 'The order, to be paid at `checkout_url`.', schema: COMPONENTS.Order } },
    errors: [400, 503],
  },
  'list-orders': {
    tag: 'Payments',
    query: ordersQuery,
    answers: { 200: { description: 'A page of orders.', schema: COMPONENTS.OrderPage } },
    errors: [400],
  },
  'get-order': {
    tag: 'Payments',
    answers: { 200: { description: 'The order.', schema: COMPONENTS.Order } },
    errors: [404],
  },
  'receive-payment-event': {
    tag: 'Payments',
    description:
      'Called by the payment provider only. The signature over the raw body authenticates the event.',
    rawBody: 'application/json',
    answers: {
      200: { description: 'The event was accepted.', schema: z.object({ received: z.literal(true) }) },
    },
    errors: [400, 401, 404],
  },
} as const satisfies Readonly<Record<string, Operation>>;
