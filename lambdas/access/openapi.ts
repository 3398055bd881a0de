/** The descriptions of sign-in, API keys, credit and orders. */
import * as z from 'zod';
import { COMPONENTS } from '../app/components.ts';
import { MOST_KEYS, MOST_RECORDS } from '../ledger/core/usage/account-calls.ts';
import { accountUsageQuery } from '../ledger/core/usage/queries.ts';
import { usageSumsQuery } from '../ledger/core/usage/sums-answer.ts';
import { createOrderRequest, ordersQuery } from '../payments/core/order-requests.ts';
import { answer, tagged } from '../platform/contract/operation.ts';
import { deletedSchema } from '../platform/core/api/response-schema.ts';
import { createKeyRequest, rotateKeyRequest, updateKeyRequest } from './core/key-requests.ts';
import { offeredProvidersSchema } from './core/offered-providers.ts';
import { renewedSchema, signedOutSchema, signInRequest, signOutRequest } from './core/session-requests.ts';

export const ACCOUNT_OPERATIONS = {
  ...tagged('Accounts', {
    'create-session': {
      description:
        'By a token of the provider, or by an authorization code with its verifier and redirect URI, which the ' +
        'service exchanges.',
      headers: {
        'x-session-transport': {
          description: '`cookie` puts the session into a cookie that no script can read.',
          pattern: '^(cookie|bearer)$',
        },
      },
      body: signInRequest,
      answers: { 200: answer('A session.', COMPONENTS.SignedIn) },
      errors: [401, 403],
    },
    'get-account': { answers: { 200: answer('The account.', COMPONENTS.Account) } },
    'list-identity-providers': {
      description: 'Those that have a client id and redirect URIs.',
      answers: { 200: answer('The providers.', offeredProvidersSchema) },
    },
    'renew-session': {
      description:
        'Later requests with the same token are refused with 401. All sessions that follow one sign-in end 24 hours ' +
        'after it.',
      answers: { 200: answer('The next session.', renewedSchema) },
    },
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
    'get-balance': {
      description: '`held` is what calls that are not settled yet may cost; it is no part of `balance`.',
      answers: { 200: answer('The balance.', COMPONENTS.AccountBalance) },
    },
    'list-account-usage': {
      description: `Revoked keys count too: at most ${MOST_KEYS} keys are asked, the live ones and the newest others. At most ${MOST_RECORDS} records are read for a page, so that with a filter it may have fewer entries, even none, and a \`next_cursor\` all the same.`,
      query: accountUsageQuery,
      answers: { 200: answer('A page of calls.', COMPONENTS.AccountUsagePage) },
    },
    'sum-account-usage': {
      description:
        'Intervals that have calls, oldest first, whole ones: `start` is rounded down and `end` up. A call counts when it was settled. Sums that are `complete` are those of the records, to the nano-dollar.',
      query: usageSumsQuery,
      answers: { 200: answer('The sums.', COMPONENTS.UsageSums) },
    },
    'get-account-usage': {
      description: `A call of any of the account’s keys, as far as \`GET /api/v1/usage\` asks them.`,
      answers: { 200: answer('The call, with the lines of its bill.', COMPONENTS.AccountUsageReceipt) },
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
