/** Wires the fan-out of the platform's events for Lambda. */
import { createDynamoClients, createQueueClient } from '../../adapters/clients.ts';
import { DynamoDeliveryStore } from '../../adapters/delivery-store.ts';
import { createEventStore } from '../../adapters/event-store.ts';
import { createLog } from '../../adapters/logger.ts';
import { createMetric } from '../../adapters/metrics.ts';
import { DynamoSubscriptionStore } from '../../adapters/subscription-store.ts';
import { systemClock } from '../../adapters/system.ts';
import { createWakeSender } from '../../adapters/wake-queue.ts';
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
    wakes: createWakeSender(createQueueClient(), environment),
    clock: systemClock,
    log,
    onCreated: (deliveries) => metric(METRICS.deliveriesCreated, deliveries),
    onRejected: () => metric(METRICS.eventsRejected, 1),
  }),
  log,
);
