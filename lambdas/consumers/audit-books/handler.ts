/** Wires a step of the audit workflow for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createAuditReader, readWalletPage } from '../../adapters/ledger/ledger-scan.ts';
import { createWalletStore } from '../../adapters/ledger/wallet-store.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { createMeasure } from '../../adapters/system/metrics.ts';
import { requireVariable } from '../../contract/environment.ts';
import { METRICS } from '../../contract/metrics.ts';
import { TABLES } from '../../contract/tables.ts';
import { toMetric } from '../../core/money.ts';
import { consumer } from '../../edge/pipelines.ts';
import { auditBooks } from './consumer.ts';

const measure = createMeasure();
const clients = createDynamoClients();
const { client } = clients;
const table = (name: 'accounts' | 'keys' | 'wallets' | 'usage') =>
  requireVariable(process.env, TABLES[name].variable);
const tables = { accounts: table('accounts'), keys: table('keys'), usage: table('usage') };

export const handler = consumer(
  auditBooks({
    pages: (after) => readWalletPage(client, table('wallets'), after),
    reader: createAuditReader(client, createWalletStore(clients, table('wallets')), tables),
    onAudited: ({ busy, drift, topUps, balances }, accounts) =>
      measure({
        values: {
          [METRICS.accountsAudited]: accounts - busy,
          [METRICS.auditDrift]: toMetric(drift),
          [METRICS.topUps]: toMetric(topUps),
          [METRICS.balances]: toMetric(balances),
        },
      }),
    log: createLog(),
  }),
);
