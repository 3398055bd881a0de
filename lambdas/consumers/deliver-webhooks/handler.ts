/** Wires the sending of deliveries for Lambda. */
import { systemRandom } from '../../adapters/system/system.ts';
import { createDeliveryPorts } from '../../adapters/webhooks/create-webhooks.ts';
import { createDeliveryWatch } from '../../adapters/webhooks/delivery-watch.ts';
import { laneOfQueue } from '../../adapters/webhooks/trigger-queue.ts';
import { METRICS } from '../../contract/metrics.ts';
import { queueHandler } from '../../hosts/consumer-handler.ts';
import { deliverWebhooks } from './consumer.ts';

export const handler = queueHandler(({ metric, ...resources }) =>
  deliverWebhooks({
    ...resources,
    ...createDeliveryPorts({ ...resources, onDisabled: () => metric(METRICS.webhooksDisabled, 1) }),
    laneOfQueue: laneOfQueue(resources.environment),
    watch: createDeliveryWatch(metric, resources.clock),
    random: systemRandom,
  }),
);
