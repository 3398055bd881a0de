/** Wires the scheduled recovery of holds, and the check of alerts, for Lambda. */
import { METRICS } from '../../../platform/contract/metrics.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import { stageCheck } from '../../../platform/handlers/stage-check.ts';
import { aboveZero } from '../../../platform/system/metrics.ts';
import { createAlertSweep } from '../../store/alert-store.ts';
import { createLedger } from '../../store/create-ledger.ts';
import { createWalletSweep } from '../../store/ledger-scan.ts';
import { sweepHolds } from './consumer.ts';

export const handler = consumerHandler(({ measure, ...resources }) =>
  sweepHolds({
    ...resources,
    ...createWalletSweep(resources),
    recovery: createLedger(resources).recovery,
    sweepAlerts: createAlertSweep({ ...resources, stage: stageCheck() }),
    onSwept: ({ settled, released }, { open, overdueSeconds }) =>
      measure({
        values: aboveZero([METRICS.holdsOpen], {
          [METRICS.holdsSettled]: settled,
          [METRICS.holdsReleased]: released,
          [METRICS.holdsOpen]: open,
          [METRICS.overdueHold]: overdueSeconds,
        }),
      }),
  }),
);
