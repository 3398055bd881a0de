/** Wires `POST /api/v1/webhooks/{id}/recover` for Lambda. */
import { createAccess } from '../../adapters/access/peppers.ts';
import { createDynamoClients, createQueueClient } from '../../adapters/aws/clients.ts';
import { createKeyGate } from '../../adapters/ledger/create-ledger.ts';
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { DynamoDeliveryStore } from '../../adapters/webhooks/delivery-store.ts';
import { DynamoSubscriptionStore } from '../../adapters/webhooks/subscription-store.ts';
import { createTriggerSender } from '../../adapters/webhooks/trigger-queue.ts';
import { requireVariable } from '../../contract/environment.ts';
import { TABLES } from '../../contract/tables.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { recoverWebhook } from './endpoint.ts';

const log = createLog();
const environment = process.env;
const clients = createDynamoClients();
const { peppers } = createAccess({ environment, log });
const { gate } = createKeyGate({ clients, environment });
const table = requireVariable(environment, TABLES.webhooks.variable);
const subscriptions = new DynamoSubscriptionStore(clients.client, table);
const deliveries = new DynamoDeliveryStore(
  clients.client,
  requireVariable(environment, TABLES.deliveries.variable),
  systemClock,
);
const triggers = createTriggerSender(createQueueClient(), environment);

const endpoint = recoverWebhook({ peppers, gate, subscriptions, deliveries, triggers, clock: systemClock });

export const handler = buffered(front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log }));
