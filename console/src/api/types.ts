/** The service's answers, by the very schemas that its OpenAPI document is made from: types alone, no code of it. */
import type * as z from 'zod';
import type { offeredProvidersSchema } from '../../../lambdas/access/core/offered-providers.ts';
import type { COMPONENTS } from '../../../lambdas/app/components.ts';
import type { catalogViewSchema } from '../../../lambdas/inference/core/catalog/catalog-view.ts';
import type { routeSummarySchema } from '../../../lambdas/inference/core/routing/route-list.ts';
import type { accountSummarySchema } from '../../../lambdas/ledger/core/account-summaries.ts';
import type { auditViewSchema } from '../../../lambdas/ledger/core/audit/conclusion.ts';
import type { deadLettersSchema } from '../../../lambdas/platform/core/api/dead-letters.ts';
import type { rotatedSecretSchema } from '../../../lambdas/webhooks/core/subscription.ts';
import type { Answer } from './answers.ts';

/** An answer by its name in `/openapi.json`. */
type Of<Name extends keyof typeof COMPONENTS> = Answer<z.output<(typeof COMPONENTS)[Name]>>;

export interface Page<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export type Account = Of<'Account'>;
export type ApiKey = Of<'ApiKey'>;
export type NewApiKey = Of<'NewApiKey'>;
export type Policy = ApiKey['policy'];
export type Credits = Of<'CreditBalance'>;
export type Order = Of<'Order'>;
export type Price = Of<'Price'>;
export type PriceList = Of<'PriceList'>;
export type Webhook = Of<'Webhook'>;
export type NewWebhook = Of<'NewWebhook'>;
export type RotatedSecret = Answer<z.output<typeof rotatedSecretSchema>>;
export type WebhookWithStatistics = Of<'WebhookWithStatistics'>;
export type Delivery = Of<'Delivery'>;
export type Listing = Of<'Listing'>;
export type Review = Of<'Review'>;
export type Release = Of<'Release'>;
export type Category = Of<'Category'>;

/** A call of any key of the account. */
export type Call = Of<'AccountUsagePage'>['data'][number];
export type AccountReceipt = Of<'AccountUsageReceipt'>;
export type Balance = Of<'AccountBalance'>;
export type Sums = Of<'UsageSums'>;
export type IdentityProvider = Answer<z.output<typeof offeredProvidersSchema>>['data'][number];

/** An account as an operator sees it. */
export type AccountSummary = Answer<z.output<typeof accountSummarySchema>>;
export type RouteSummary = Answer<z.output<typeof routeSummarySchema>>;
export type CatalogView = Answer<z.output<typeof catalogViewSchema>>;
export type AuditView = Answer<z.output<typeof auditViewSchema>>;
export type DeadLetters = Answer<z.output<typeof deadLettersSchema>>;
