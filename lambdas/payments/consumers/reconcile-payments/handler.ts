/** Wires the scheduled reconciliation with the payment provider for Lambda. */
import { setTimeout as sleep } from 'node:timers/promises';
import { createSecretsClient } from '../../../platform/aws/clients.ts';
import { createSecretReader } from '../../../platform/aws/secrets.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { scheduledChange } from '../../../platform/handlers/consumer-handler.ts';
import { createOrderStore } from '../../store/create-orders.ts';
import { StripeLists } from '../../store/stripe-lists.ts';
import { reconcileOnSchedule } from './consumer.ts';

export const handler = scheduledChange((resources) => {
  const { metric } = resources;
  const readSecret = createSecretReader({ ...resources, client: createSecretsClient() });
  return reconcileOnSchedule({
    ...resources,
    lists: new StripeLists({ ...resources, readSecret }),
    store: createOrderStore(resources),
    wait: sleep,
    onMissed: () => metric(METRICS.paymentEventsMissed, 1),
    onCredited: () => metric(METRICS.paymentsCredited, 1),
    onCompleted: () => metric(METRICS.paymentsReconciled, 1),
    onDifferences: (count) => metric(METRICS.paymentDifferences, count),
  });
});
