/** Counts what becomes of deliveries. */
import { METRICS } from '../../contract/metrics.ts';
import type { Clock, Metric } from '../../core/ports.ts';
import type { DeliveryWatch } from '../../core/webhooks/deliver.ts';

export function createDeliveryWatch(metric: Metric, clock: Clock): DeliveryWatch {
  return {
    onAttempt({ number, outcome }, { createdMs }) {
      metric(outcome === 'delivered' ? METRICS.deliveriesSucceeded : METRICS.attemptsFailed, 1);
      if (outcome === 'delivered' && number === 1) metric(METRICS.deliveryLatency, clock() - createdMs);
      if (outcome === 'forbidden_address') metric(METRICS.addressesForbidden, 1);
    },
    onDead(reason) {
      if (reason === 'exhausted') metric(METRICS.deliveriesDead, 1);
    },
  };
}
