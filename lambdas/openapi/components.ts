/** The schemas that have a name in the document; each stands beside the function that makes the body. */
import { IP_RATE_ERROR } from '../contract/gateway-errors.ts';
import { accountSchema } from '../core/access/accounts.ts';
import { keySchema } from '../core/access/api-keys.ts';
import { issuedKeySchema } from '../core/access/key-issuer.ts';
import { signedInSchema } from '../core/access/sign-in.ts';
import { errorSchema, messagesErrorSchema } from '../core/api/error-body.ts';
import { pageSchema } from '../core/api/paging.ts';
import {
  modelListSchema,
  modelSchema,
  priceListSchema,
  priceSchema,
} from '../core/inference/catalog/model-lists.ts';
import { accountReceiptSchema, accountUsageSchema } from '../core/ledger/usage/account-calls.ts';
import { accountBalanceSchema, creditBalanceSchema } from '../core/ledger/usage/credit-balance.ts';
import { receiptSchema, usageRecordSchema } from '../core/ledger/usage/receipt.ts';
import { usageSumsSchema } from '../core/ledger/usage/sums-answer.ts';
import { installSchema, purchaseSchema, releaseSchema, reviewSchema } from '../core/listings/activity.ts';
import { listingSchema } from '../core/listings/listing.ts';
import { categorySchema } from '../core/listings/queries.ts';
import { orderSchema } from '../core/payments/order.ts';
import { deliverySchema } from '../core/webhooks/delivery.ts';
import {
  newSubscriptionSchema,
  subscriptionSchema,
  subscriptionWithStatisticsSchema,
} from '../core/webhooks/subscription.ts';

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
