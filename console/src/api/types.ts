/** The responses of the service, from the schemas that also produce its OpenAPI document: types only, no code of it. */
import type * as z from 'zod';
import type { offeredProvidersSchema } from '../../../lambdas/access/core/identity/offered-providers.ts';
import type { COMPONENTS } from '../../../lambdas/app/components.ts';
import type { catalogViewSchema } from '../../../lambdas/inference/core/catalog/catalog-view.ts';
import type { routeSummarySchema } from '../../../lambdas/inference/core/routing/route-list.ts';
import type { accountSummarySchema } from '../../../lambdas/ledger/core/account-summaries.ts';
import type { auditViewSchema } from '../../../lambdas/ledger/core/audit/conclusion.ts';
import type { salesSchema } from '../../../lambdas/ledger/core/usage/sales.ts';
import type { sellerSummarySchema } from '../../../lambdas/marketplace/core/payouts/seller-summary.ts';
import type { deadLettersSchema } from '../../../lambdas/platform/core/api/dead-letters.ts';
import type { indexSchema } from '../../../lambdas/platform/core/api/service-status.ts';
import type { rotatedSecretSchema } from '../../../lambdas/webhooks/core/subscription.ts';
import type { ConsoleValue } from './responses.ts';

/** A response by its name in `/openapi.json`. */
type Of<Name extends keyof typeof COMPONENTS> = ConsoleValue<z.output<(typeof COMPONENTS)[Name]>>;

export interface ApiPage<T> {
  readonly data: readonly T[];
  readonly next_cursor: string | null;
}

export type IndexBody = z.output<typeof indexSchema>;
export type AccountBody = Of<'Account'>;
export type ApiKey = Of<'ApiKey'>;
export type NewApiKey = Of<'NewApiKey'>;
export type PolicyBody = ApiKey['policy'];
export type CreditsBody = Of<'CreditBalance'>;
export type OrderBody = Of<'Order'>;
export type EarningsBody = Of<'Earnings'>;
export type EarningsTransactionBody = Of<'EarningsTransaction'>;
export type SubscriptionBody = Of<'Subscription'>;
export type ChargedSubscriptionBody = Of<'SubscriptionWithCharges'>;
export type EntitlementBody = Of<'EntitlementList'>['data'][number];
export type BuildBody = Of<'Build'>;
export type BuildUploadBody = Of<'BuildUpload'>;
export type ArtifactBody = Of<'Artifact'>;
export type PayoutBody = Of<'Payout'>;
export type PayoutAccountBody = Of<'PayoutAccount'>;
export type PriceBody = Of<'Price'>;
export type PriceList = Of<'PriceList'>;
export type Webhook = Of<'Webhook'>;
export type NewWebhook = Of<'NewWebhook'>;
export type RotatedSecretBody = ConsoleValue<z.output<typeof rotatedSecretSchema>>;
export type WebhookWithStatistics = Of<'WebhookWithStatistics'>;
export type DeliveryBody = Of<'Delivery'>;
export type TelemetryBody = Of<'Telemetry'>;
export type ListingBody = Of<'Listing'>;
export type AcquisitionBody = Of<'Acquisition'>;
export type ReviewBody = Of<'Review'>;
export type ReleaseBody = Of<'Release'>;
export type Category = Of<'Category'>;

/** A call of any key of the account. */
export type UsageEntry = Of<'AccountUsagePage'>['data'][number];
export type AccountReceipt = Of<'AccountUsageReceipt'>;
export type Balance = Of<'AccountBalance'>;
export type AlertsBody = Of<'Alerts'>;
export type UsageRollupsBody = Of<'UsageRollups'>;
export type IdentityProvider = ConsoleValue<z.output<typeof offeredProvidersSchema>>['data'][number];

/** An account in the operator's view. */
export type AccountSummaryBody = ConsoleValue<z.output<typeof accountSummarySchema>>;
export type SellerSummaryBody = ConsoleValue<z.output<typeof sellerSummarySchema>>;
export type RouteSummary = ConsoleValue<z.output<typeof routeSummarySchema>>;
export type CatalogView = ConsoleValue<z.output<typeof catalogViewSchema>>;
export type SalesBody = ConsoleValue<z.output<typeof salesSchema>>;
export type AuditView = ConsoleValue<z.output<typeof auditViewSchema>>;
export type DeadLettersBody = ConsoleValue<z.output<typeof deadLettersSchema>>;
