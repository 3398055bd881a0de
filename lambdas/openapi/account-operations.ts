/** The descriptions of sign-in, API keys, credit and orders. */
import * as z from 'zod';
import { createKeyRequest, rotateKeyRequest, updateKeyRequest } from '../core/access/key-requests.ts';
import { signedOutSchema, signInRequest, signOutRequest } from '../core/access/session-requests.ts';
import { deletedSchema } from '../core/api/response-schema.ts';
import { createOrderRequest, ordersQuery } from '../core/payments/order-requests.ts';
import { COMPONENTS } from './components.ts';
import { answer, tagged } from './operation.ts';

export const ACCOUNT_OPERATIONS = {
  ...tagged('Accounts', {
    'create-session': {
      body: signInRequest,
      answers: { 200: answer('A session.', COMPONENTS.SignedIn) },
      errors: [401],
    },
    'get-account': { answers: { 200: answer('The account.', COMPONENTS.Account) } },
    'delete-session': {
      description: 'Later requests with the same token are refused with 401.',
      body: signOutRequest,
      optionalBody: true,
      answers: { 200: answer('The session has ended.', signedOutSchema) },
    },
    'create-key': {
      body: createKeyRequest,
      answers: { 201: answer('The key, with its secret text.', COMPONENTS.NewApiKey) },
      errors: [409],
    },
    'list-keys': { answers: { 200: answer('Every key, without its text.', COMPONENTS.ApiKeyPage) } },
    'update-key': {
      body: updateKeyRequest,
      answers: { 200: answer('The key after the change.', COMPONENTS.ApiKey) },
      errors: [409],
    },
    'delete-key': { answers: { 200: answer('The key is revoked.', deletedSchema('api_key')) } },
    'rotate-key': {
      body: rotateKeyRequest,
      optionalBody: true,
      answers: { 200: answer('The key, with its new secret text.', COMPONENTS.NewApiKey) },
      errors: [409],
    },
  }),
  ...tagged('Usage', {
    'get-credits': {
      description:
        'Of the calling key, by its id or its text; an owner’s session may name any key of the account.',
      answers: { 200: answer('The balance.', COMPONENTS.CreditBalance) },
    },
  }),
  ...tagged('Payments', {
    'create-order': {
      body: createOrderRequest,
      answers: { 201: answer('The order, to be paid at `checkout_url`.', COMPONENTS.Order) },
    },
    'list-orders': {
      query: ordersQuery,
      answers: { 200: answer('A page of orders.', COMPONENTS.OrderPage) },
    },
    'get-order': { answers: { 200: answer('The order.', COMPONENTS.Order) } },
    'receive-payment-event': {
      description:
        'Called by the payment provider only. The signature over the raw body authenticates the event.',
      rawBody: 'application/json',
      answers: { 200: answer('The event was accepted.', z.object({ received: z.literal(true) })) },
      errors: [401],
    },
  }),
};
