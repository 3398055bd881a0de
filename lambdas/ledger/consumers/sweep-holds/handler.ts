/** Wires the scheduled recovery of holds for Lambda. */

import { METRICS } from '../../../platform/contract/metrics.ts';
import { requireTable } from '../../../platform/contract/tables.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { aboveZero } from '../../../platform/system/metrics.ts';
import { createLedger } from '../../store/create-ledger.ts';
import { readWalletPage } from '../../store/ledger-scan.ts';
import { WalletMaintenance } from '../../store/wallet/maintenance.ts';
import { sweepHolds } from './consumer.ts';

export const handler = consumerHandler((resources) => {
  const { clients, environment, measure } = resources;
  const wallets = requireTable(environment, 'wallets');
  return sweepHolds({
    ...resources,
    recovery: createLedger(resources).recovery,
    pages: (after) => readWalletPage(clients.client, wallets, after),
    tidy: (accountId) => new WalletMaintenance(clients.client, wallets).tidy(accountId),
    onSwept: ({ settled, released }, { open, overdueSeconds }) =>
      measure({
        values: aboveZero([METRICS.holdsOpen], {
          [METRICS.holdsSettled]: settled,
          [METRICS.holdsReleased]: released,
          [METRICS.holdsOpen]: open,
          [METRICS.overdueHold]: overdueSeconds,
        }),
      }),
  });
});
