/** Wires the scheduled recovery of holds for Lambda. */
import { createLedger } from '../../adapters/ledger/create-ledger.ts';
import { readWalletPage } from '../../adapters/ledger/ledger-scan.ts';
import { WalletUpkeep } from '../../adapters/ledger/wallet/upkeep.ts';
import { METRICS } from '../../contract/metrics.ts';
import { requireTable } from '../../contract/tables.ts';
import { consumerHandler } from '../../hosts/consumer-handler.ts';
import { sweepHolds } from './consumer.ts';

export const handler = consumerHandler((resources) => {
  const { clients, environment, measure } = resources;
  const wallets = requireTable(environment, 'wallets');
  const upkeep = new WalletUpkeep(clients.client, wallets);
  return sweepHolds({
    ...resources,
    recovery: createLedger(resources).recovery,
    pages: (after) => readWalletPage(clients.client, wallets, after),
    tidy: (accountId) => upkeep.tidy(accountId),
    onSwept: ({ settled, released }, { open, overdueSeconds }) =>
      measure({
        values: {
          [METRICS.holdsSettled]: settled,
          [METRICS.holdsReleased]: released,
          [METRICS.holdsOpen]: open,
          [METRICS.overdueHold]: overdueSeconds,
        },
      }),
  });
});
