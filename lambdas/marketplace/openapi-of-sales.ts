/** The descriptions of subscriptions, and of what sellers earn: earnings, refunds and payouts. */

import { created, ok } from '../platform/contract/operation.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import {
  IDEMPOTENCY_HEADER,
  refundRequest,
  refundSchema,
  transactionSchema,
  transactionsQuery,
  transferRequest,
  transferSchema,
} from './core/earnings/requests.ts';
import { earningsSchema } from './core/payouts/earnings-entry.ts';
import {
  payoutAccountRequest,
  payoutAccountSchema,
  payoutRequest,
  payoutSchema,
  payoutsQuery,
} from './core/payouts/payout-entry.ts';
import { sellerSummarySchema, sellersQuery } from './core/payouts/seller-summary.ts';
import { entitlementsSchema } from './core/subscriptions/entitlement.ts';
import { entitlementTokenSchema, keySetSchema } from './core/subscriptions/entitlement-token.ts';
import {
  chargedSubscriptionSchema,
  entitlementsQuery,
  planSubscriptionSchema,
  subscribeRequest,
  subscriptionQuery,
  subscriptionsQuery,
  subscriptionUpdate,
} from './core/subscriptions/requests.ts';

/** `*`, or entity tags; those of the service hold neither a comma nor what is not ASCII. */
const TAG = '(W/)?"[!#-+\\x2d-~]*"';
export const ETAGS = `^([*]|${TAG}(, ?${TAG})*)$`;

export const SALES_COMPONENTS = {
  Subscription: planSubscriptionSchema,
  SubscriptionPage: pageSchema(planSubscriptionSchema),
  SubscriptionWithCharges: chargedSubscriptionSchema,
  EntitlementList: entitlementsSchema,
  EntitlementToken: entitlementTokenSchema,
  KeySet: keySetSchema,
  Earnings: earningsSchema,
  EarningsTransaction: transactionSchema,
  EarningsTransactionPage: pageSchema(transactionSchema),
  EarningsTransfer: transferSchema,
  Refund: refundSchema,
  PayoutAccount: payoutAccountSchema,
  Payout: payoutSchema,
  PayoutPage: pageSchema(payoutSchema),
};

export const SALES_OPERATIONS = {
  'subscribe-listing': {
    description:
      'Charges the first period out of the credit, unless the plan has a trial that the account has not used. The request states the expected amount, the expected listing by `If-Match`, or both. Publishes `subscription.created`.',
    headers: {
      'If-Match': { pattern: ETAGS, description: 'The `ETag` of the listing that the subscriber has seen.' },
    },
    body: subscribeRequest,
    example: { plan: 'pro', amount: 499, currency: 'USD' },
    responses: {
      ...ok(
        'The account has a live subscription to the listing; nothing was charged.',
        planSubscriptionSchema,
      ),
      ...created('The subscription.', planSubscriptionSchema),
    },
    errors: [402, 409],
  },
  'list-subscriptions': {
    query: subscriptionsQuery,
    responses: ok('A page of subscriptions, newest first.', SALES_COMPONENTS.SubscriptionPage),
  },
  'get-subscription': {
    description:
      'With `plan`, it previews a change to this plan. `PATCH` with the preview’s `due` and `proration_date` charges exactly that.',
    query: subscriptionQuery,
    responses: ok('The subscription.', chargedSubscriptionSchema),
    errors: [409],
  },
  'update-subscription': {
    description:
      'A change of the plan is charged at once, less the value of the rest of the paid period, and a new period starts; if nothing is due, the plan changes at the renewal. Publishes `subscription.updated`.',
    body: subscriptionUpdate,
    example: { cancel_at_period_end: true },
    responses: ok('The subscription.', planSubscriptionSchema),
    errors: [402, 409],
  },
  'cancel-subscription': {
    description: 'Without a refund. Publishes `subscription.canceled`.',
    responses: ok('The ended subscription.', planSubscriptionSchema),
    errors: [409],
  },
  'list-entitlements': {
    description:
      'Nothing is active while the account owes. With `subscriber_id`, a seller reads the entitlements of a customer to its own listings; to those of others, the list is empty.',
    query: entitlementsQuery,
    responses: ok('The entitlements.', entitlementsSchema),
  },
  'create-entitlement-token': {
    description:
      'The token is valid for five minutes, for this listing alone. A product verifies it with the keys of `/.well-known/jwks.json`: it needs no credential of its user. Without an active entitlement, the response is 403 `not_customer`.',
    responses: created('The token.', entitlementTokenSchema),
    errors: [403],
  },
  'get-jwks': {
    description: 'A JSON Web Key Set (RFC 7517). A new key is listed for at least an hour before it signs.',
    responses: ok('The keys.', keySetSchema),
  },
  'get-earnings': {
    description:
      'Proceeds of a sale are pending for seven days, and longer while the payment behind the purchase is disputed. Then they are available; those of granted credit become the account’s own credit.',
    responses: ok('The earnings.', earningsSchema),
  },
  'list-earnings-transactions': {
    query: transactionsQuery,
    responses: ok('A page of transactions.', SALES_COMPONENTS.EarningsTransactionPage),
  },
  'transfer-earnings': {
    description: 'The credit pays what the account owes first.',
    headers: IDEMPOTENCY_HEADER,
    body: transferRequest,
    example: { amount: 1 },
    responses: created('The transfer.', transferSchema),
    errors: [402],
  },
  'create-payout-account': {
    description:
      'Creates the account at the payment provider once, changes its schedule and minimum, and returns a page for one visit on which the provider collects what it needs to know.',
    body: payoutAccountRequest,
    example: { country: 'DE', schedule: 'manual', minimum: 1000 },
    responses: ok('The payout account.', payoutAccountSchema),
    errors: [403, 409],
  },
  'create-payout': {
    description:
      'Only one payout is open at a time. The first one is possible when the sale with which the proceeds reached 10 USD is twice as old as a sale that matures. Publishes `payout.paid` when the bank has been paid.',
    body: payoutRequest,
    example: { amount: 1000 },
    responses: created('The payout.', payoutSchema),
    errors: [402, 403, 409],
  },
  'list-payouts': {
    query: payoutsQuery,
    responses: ok('A page of payouts.', SALES_COMPONENTS.PayoutPage),
  },
  'get-payout': { responses: ok('The payout.', payoutSchema) },
  'cancel-payout': {
    description: 'Returns the amount to the available earnings. A payout that was sent is 409 `conflict`.',
    responses: ok('The canceled payout.', payoutSchema),
    errors: [409],
  },
  'create-refund': {
    description:
      'Returns the price as credit, out of the pending proceeds of the sale, or of the available earnings after it has matured. The fee is returned in proportion. A complete refund ends the purchase.',
    headers: IDEMPOTENCY_HEADER,
    body: refundRequest,
    example: { charge: 'pur_01ARZ3NDEKTSV4RRFFQ69G5FAV', amount: 500 },
    responses: created('The refund.', refundSchema),
    errors: [402, 404, 409],
  },
};

export const OPERATOR_SALES_OPERATIONS = {
  'list-operator-sellers': {
    description:
      'In no order. A page may have fewer sellers than requested, although there are more. A page reads up to 5 MB of the market, and every sale and payout of its sellers: half a read unit for each 4 KB.',
    query: sellersQuery,
    responses: ok('A page of sellers.', pageSchema(sellerSummarySchema)),
  },
};
