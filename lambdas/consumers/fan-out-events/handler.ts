/** Wires the fan-out of the platform's events for Lambda. */
import { createDynamoClients, createQueueClient } from '../../adapters/aws/clients.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { createMetric } from '../../adapters/system/metrics.ts';
import { systemClock } from '../../adapters/system/system.ts';
import { DynamoDeliveryStore } from '../../adapters/webhooks/delivery-store.ts';
import { createEventStore } from '../../adapters/webhooks/event-store.ts';
import { DynamoSubscriptionStore } from '../../adapters/webhooks/subscription-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { requireVariable } from '../../contract/environment.ts';
import { METRICS } from '../../contract/metrics.ts';
import { TABLES } from '../../contract/tables.ts';
import { queueReader } from '../../edge/pipelines.ts';
import { fanOutEvents } from './consumer.ts';

const log = createLog();
const metric = createMetric();
const environment = process.env;
const { client } = createDynamoClients();
const table = (name: 'webhooks' | 'deliveries') => requireVariable(environment, TABLES[name].variable);

export const handler = queueReader(
  fanOutEvents({
    events: createEventStore(client, { environment, log }),
    subscriptions: new DynamoSubscriptionStore(client, table('webhooks')),
    deliveries: new DynamoDeliveryStore(client, table('deliveries'), systemClock),
    triggers: createTriggerSender(createQueueClient(), environment),
    clock: systemClock,
    log,
    onCreated: (deliveries) => metric(METRICS.deliveriesCreated, deliveries),
    onRejected: () => metric(METRICS.eventsRejected, 1),
  }),
  log,
);
