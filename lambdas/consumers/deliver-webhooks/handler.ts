/** Wires the sending of deliveries for Lambda. */
import { createDynamoClients } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { createMetric } from '../../adapters/system/metrics.ts';
import { systemClock, systemRandom, systemUlid } from '../../adapters/system/system.ts';
import { createDeliveryPorts } from '../../adapters/webhooks/create-webhooks.ts';
import { createDeliveryWatch } from '../../adapters/webhooks/delivery-watch.ts';
import { laneOfQueue } from '../../adapters/webhooks/trigger-queue.ts';
import { METRICS } from '../../contract/metrics.ts';
import { queueReader } from '../../edge/pipelines.ts';
import { deliverWebhooks } from './consumer.ts';

const log = createLog();
const metric = createMetric();
const environment = process.env;
const [clock, random, ulid] = [systemClock, systemRandom, systemUlid];
const onDisabled = () => metric(METRICS.webhooksDisabled, 1);

export const handler = queueReader(
  deliverWebhooks({
    ...createDeliveryPorts({ clients: createDynamoClients(), environment, log, onDisabled }),
    laneOfQueue: laneOfQueue(environment),
    watch: createDeliveryWatch(metric, clock),
    clock,
    random,
    ulid,
  }),
  log,
);
