/** The schemas that have a name in the document; each stands beside the function that makes the body. */

import { keySchema } from '../access/core/api-keys.ts';
import { issuedKeySchema } from '../access/core/key-issuer.ts';
import { signedInSchema } from '../access/core/sign-in.ts';
import {
  modelListSchema,
  modelSchema,
  priceListSchema,
  priceSchema,
} from '../inference/core/catalog/model-lists.ts';
import { accountSchema } from '../ledger/core/accounts.ts';
import { accountReceiptSchema, accountUsageSchema } from '../ledger/core/usage/account-calls.ts';
import { accountBalanceSchema, creditBalanceSchema } from '../ledger/core/usage/credit-balance.ts';
import { receiptSchema, usageRecordSchema } from '../ledger/core/usage/receipt.ts';
import { usageSumsSchema } from '../ledger/core/usage/sums-answer.ts';
import { installSchema, purchaseSchema, releaseSchema, reviewSchema } from '../marketplace/core/activity.ts';
import { listingSchema } from '../marketplace/core/listing.ts';
import { categorySchema } from '../marketplace/core/queries.ts';
import { orderSchema } from '../payments/core/order.ts';
import { IP_RATE_ERROR } from '../platform/contract/gateway-errors.ts';
import { errorSchema, messagesErrorSchema } from '../platform/core/api/error-body.ts';
import { pageSchema } from '../platform/core/api/paging.ts';
import { deliverySchema } from '../webhooks/core/delivery.ts';
import {
  newSubscriptionSchema,
  subscriptionSchema,
  subscriptionWithStatisticsSchema,
} from '../webhooks/core/subscription.ts';

export const COMPONENTS = {
  Error: errorSchema(IP_RATE_ERROR.code),
  MessagesError: messagesErrorSchema,
  Account: accountSchema,
  SignedIn: signedInSchema,
  ApiKey: keySchema,
  ApiKeyPage: pageSchema(keySchema),
  NewApiKey: issuedKeySchema,
  CreditBalance: creditBalanceSchema,
  AccountBalance: accountBalanceSchema,
  Order: orderSchema,
  OrderPage: pageSchema(orderSchema),
  Model: modelSchema,
  ModelList: modelListSchema,
  Price: priceSchema,
  PriceList: priceListSchema,
  UsageReceipt: receiptSchema,
  UsageRecordPage: pageSchema(usageRecordSchema),
  AccountUsageReceipt: accountReceiptSchema,
  UsageSums: usageSumsSchema,
  AccountUsagePage: pageSchema(accountUsageSchema),
  Webhook: subscriptionSchema,
  WebhookPage: pageSchema(subscriptionSchema),
  WebhookWithStatistics: subscriptionWithStatisticsSchema,
  NewWebhook: newSubscriptionSchema,
  Delivery: deliverySchema,
  DeliveryPage: pageSchema(deliverySchema),
  Listing: listingSchema,
  ListingPage: pageSchema(listingSchema),
  Review: reviewSchema,
  ReviewPage: pageSchema(reviewSchema),
  Release: releaseSchema,
  ReleasePage: pageSchema(releaseSchema),
  Install: installSchema,
  Purchase: purchaseSchema,
  Category: categorySchema,
  CategoryPage: pageSchema(categorySchema),
};
