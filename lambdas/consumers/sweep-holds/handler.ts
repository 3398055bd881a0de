/** Wires the scheduled recovery of holds for Lambda. */
import { createDynamoClients } from '../../adapters/clients.ts';
import { createLedger } from '../../adapters/ledger.ts';
import { readWalletPage } from '../../adapters/ledger-scan.ts';
import { createLog } from '../../adapters/logger.ts';
import { createMetric } from '../../adapters/metrics.ts';
import { requireVariable } from '../../contract/environment.ts';
import { METRICS } from '../../contract/metrics.ts';
import { TABLES } from '../../contract/tables.ts';
import { consumer } from '../../edge/pipelines.ts';
import { sweepHolds } from './consumer.ts';

const log = createLog();
const metric = createMetric();
const environment = process.env;
const clients = createDynamoClients();
const { recovery } = createLedger({ clients, environment, log });
const wallets = requireVariable(environment, TABLES.wallets.variable);

export const handler = consumer(
  sweepHolds({
    pages: (after) => readWalletPage(clients.client, wallets, after),
    recovery,
    onRecovered: ({ settled, released }) => {
      metric(METRICS.holdsSettled, settled);
      metric(METRICS.holdsReleased, released);
    },
    log,
  }),
);
