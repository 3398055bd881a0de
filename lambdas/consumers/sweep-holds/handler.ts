/** Wires the scheduled recovery of holds for Lambda. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { readKeyPage, readWalletPage } from '../../adapters/ledger/ledger-scan.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { sweepHolds } from './consumer.ts';

export const handler = consumerHandler((resources) => {
  const { clients, environment, measure } = resources;
  const [wallets, keys] = [requireTable(environment, 'wallets'), requireTable(environment, 'keys')];
  return sweepHolds({
    ...resources,
    recovery: createLedger(resources).recovery,
    pages: {
      wallets: (after) => readWalletPage(clients.client, wallets, after),
      keys: (after) => readKeyPage(clients.client, keys, after),
    },
    onSwept: ({ settled, released }, { open, oldestSeconds }) =>
      measure({
        values: {
          [METRICS.holdsSettled]: settled,
          [METRICS.holdsReleased]: released,
          [METRICS.holdsOpen]: open,
          [METRICS.oldestHold]: oldestSeconds,
        },
      }),
  });
});
