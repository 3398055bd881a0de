/** The thresholds of accounts as their owners see them. */
import { requireTable } from '../../platform/contract/tables.ts';
import type { Clock } from '../../platform/core/ports.ts';
import { isBelowThreshold } from '../core/alerts/alerts.ts';
import { alertsBody } from '../core/alerts/thresholds.ts';
import { type CreditReaderOptions, createCreditReader, DynamoAlertStore } from './alert-store.ts';

/** Returns the store of thresholds, and a reader that compares them with the present credit. */
export function createAlertReads(options: CreditReaderOptions & { readonly clock: Clock }) {
  const store = new DynamoAlertStore(options.clients.client, requireTable(options.environment, 'accounts'));
  const readCredit = createCreditReader(options, options.clock);
  const read = async (accountId: string) => {
    const alerts = await store.get(accountId);
    return alertsBody(alerts, await isBelowThreshold(readCredit, alerts));
  };
  return { store, read };
}
