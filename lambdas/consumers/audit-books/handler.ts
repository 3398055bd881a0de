/** Wires a step of the audit workflow for Lambda. */
import { createAccountPages, createAuditStore } from '../../adapters/ledger/audit-reader.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable, type TableName } from '../../contract/tables.ts';
import { toMetric } from '../../core/money.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { auditBooks } from './consumer.ts';

export const handler = consumerHandler(({ clients: { client }, environment, clock, measure, log }) => {
  const table = (name: TableName) => requireTable(environment, name);
  const tables = { accounts: table('accounts'), keys: table('keys'), usage: table('usage') };
  const wallets = table('wallets');
  return auditBooks({
    pages: createAccountPages(client, wallets),
    store: createAuditStore(client, { ...tables, wallets }),
    clock,
    log,
    onStep: ({ drift }) => measure({ values: { [METRICS.auditDrift]: toMetric(drift) } }),
    onAudited: ({ unproven, topUps, balances }, accounts) =>
      measure({
        values: {
          [METRICS.accountsAudited]: accounts - unproven,
          [METRICS.accountsUnproven]: unproven,
          [METRICS.topUps]: toMetric(topUps),
          [METRICS.balances]: toMetric(balances),
        },
      }),
  });
});
