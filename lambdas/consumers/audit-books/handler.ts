/** Wires a step of the audit workflow for Lambda. */
import { createAuditReader, readWalletPage } from '../../adapters/ledger/ledger-scan.ts';
import { createWalletStore } from '../../adapters/ledger/wallet/store.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable, type TableName } from '../../contract/tables.ts';
import { toMetric } from '../../core/money.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { auditBooks } from './consumer.ts';

export const handler = consumerHandler(({ clients, environment, measure, log }) => {
  const table = (name: TableName) => requireTable(environment, name);
  const tables = { accounts: table('accounts'), keys: table('keys'), usage: table('usage') };
  const wallets = table('wallets');
  return auditBooks({
    pages: (after) => readWalletPage(clients.client, wallets, after),
    reader: createAuditReader(clients.client, createWalletStore(clients, wallets), tables),
    onAudited: ({ busy, drift, topUps, balances }, accounts) =>
      measure({
        values: {
          [METRICS.accountsAudited]: accounts - busy,
          [METRICS.auditDrift]: toMetric(drift),
          [METRICS.topUps]: toMetric(topUps),
          [METRICS.balances]: toMetric(balances),
        },
      }),
    log,
  });
});
