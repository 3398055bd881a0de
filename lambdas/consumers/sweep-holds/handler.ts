/** Wires the scheduled recovery of holds for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { readKeyPage, readWalletPage } from '../../adapters/ledger/ledger-scan.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { createMeasure } from '../../adapters/system/metrics.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { requireVariable } from '../../contract/environment.ts';
import { METRICS } from '../../contract/metrics.ts';
import { TABLES } from '../../contract/tables.ts';
import { consumer } from '../../edge/pipelines.ts';
import { sweepHolds } from './consumer.ts';

const log = createLog();
const measure = createMeasure();
const environment = process.env;
const clients = createDynamoClients();
const { recovery } = createLedger({ clients, environment, log });
const table = (name: 'wallets' | 'keys') => requireVariable(environment, TABLES[name].variable);

export const handler = consumer(
  sweepHolds({
    pages: {
      wallets: (after) => readWalletPage(clients.client, table('wallets'), after),
      keys: (after) => readKeyPage(clients.client, table('keys'), after),
    },
    recovery,
    onSwept: ({ settled, released }, { open, oldestSeconds }) =>
      measure({
        values: {
          [METRICS.holdsSettled]: settled,
          [METRICS.holdsReleased]: released,
          [METRICS.holdsOpen]: open,
          [METRICS.oldestHold]: oldestSeconds,
        },
      }),
    clock: systemClock,
    log,
  }),
);
