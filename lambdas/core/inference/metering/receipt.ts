/** The headers of a settled call. */
import type { Admission } from '../../ledger/admission.ts';
import type { Settlement } from '../../ledger/settlement.ts';
import { formatUsd } from '../../money.ts';
import type { Route } from '../catalog/catalog-document.ts';

/** The headers that name the route, the cost and what is left. */
export function receiptHeaders(
  { headers }: Pick<Admission, 'headers'>,
  { id }: Route,
  { record, balance }: Settlement,
): Record<string, string> {
  return {
    ...headers,
    'x-route': id,
    'x-cost-usd': formatUsd(record.cost),
    ...(balance === undefined ? {} : { 'x-balance-usd': formatUsd(balance) }),
  };
}
