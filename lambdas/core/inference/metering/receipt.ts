/** The headers of a settled call. */
import type { Admission } from '../../ledger/admission.ts';
import type { UsageRecord } from '../../ledger/usage-record.ts';
import { formatUsd, type NanoUsd } from '../../money.ts';
import type { Route } from '../catalog/catalog-document.ts';

/** What the caller of a settled call reads of it in the headers. */
export interface Receipt {
  readonly record: Pick<UsageRecord, 'cost'>;
  /** Undefined when the refund is left to recovery. */
  readonly balance: NanoUsd | undefined;
}

/** The headers that name the route, the cost and what is left. */
export function receiptHeaders(
  { headers }: Pick<Admission, 'headers'>,
  { id }: Route,
  { record, balance }: Receipt,
): Record<string, string> {
  return {
    ...headers,
    'x-route': id,
    'x-cost-usd': formatUsd(record.cost),
    ...(balance === undefined ? {} : { 'x-balance-usd': formatUsd(balance) }),
  };
}
