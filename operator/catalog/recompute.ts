/** Bills recomputed from usage records: by their line items, or by other prices. */
import type { CatalogDocument } from '../../lambdas/inference/core/catalog/catalog-document.ts';
import { amountOf, billOf } from '../../lambdas/inference/core/pricing/bill.ts';
import type { BillableItem } from '../../lambdas/inference/core/pricing/counts.ts';
import type { Prices } from '../../lambdas/inference/core/pricing/prices.ts';
import type { UsageRecord } from '../../lambdas/ledger/core/usage-record.ts';
import type { NanoUsd } from '../../lambdas/platform/core/money.ts';

/** Returns the billed amount of the call: the paid amount plus the waived amount. */
export const billedAmount = ({ cost, waived = 0n }: UsageRecord): NanoUsd => cost + waived;

/** The bill by the record's own lines. */
export const byOwnLines = ({ lines = [] }: UsageRecord): NanoUsd => amountOf(lines);

/** The bill of the same counts, tier and place by other prices. */
export function byPrices(prices: Prices, { lines = [], serviceTier, region }: UsageRecord): NanoUsd {
  const counts = new Map<BillableItem, number>();
  for (const { item, quantity } of lines)
    if (item !== 'request' || prices.unit === 'per_request')
      counts.set(item as BillableItem, (counts.get(item as BillableItem) ?? 0) + quantity);
  return billOf(prices, counts, { serviceTier, region }).amount;
}

/** The prices of a catalog's models by id. */
export const pricesById = (document: CatalogDocument): ReadonlyMap<string, Prices> =>
  new Map(document.models.map(({ id, price }) => [id, price]));
