/** What the sending of deliveries works through: stores, queues, schedules, the bus and the network. */
import { requirePositiveInteger, requireVariable, VARIABLES } from '../../contract/environment.ts';
import { requireTable } from '../../contract/tables.ts';
import type { Log } from '../../core/ports.ts';
import type { DeliveryWorkerDependencies } from '../../core/webhooks/deliver.ts';
import { ReceiverHealth } from '../../core/webhooks/receiver-health.ts';
import {
  createEventClient,
  createQueueClient,
  createScheduleClient,
  type DynamoClients,
} from '../aws/clients.ts';
import { systemClock } from '../system/system.ts';
import { createResolve, loopbackAllowed } from './address-guard.ts';
import { createDeliveryStore, createSubscriptionStore } from './create-webhook-stores.ts';
import { createPublisher } from './event-publisher.ts';
import { DynamoEventStore } from './event-store.ts';
import { DynamoSigningSecretStore } from './signing-secret-store.ts';
import { createTriggerQueue } from './trigger-queue.ts';
import { createWebhookSealer } from './webhook-keys.ts';
import { createSender } from './webhook-sender.ts';

export interface DeliveryPortOptions {
  readonly clients: Pick<DynamoClients, 'client'>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly log: Log;
  /** Called with each subscription that was disabled. */
  readonly onDisabled: () => void;
}

type Ports = Pick<
  DeliveryWorkerDependencies,
  'secrets' | 'events' | 'deliveries' | 'triggers' | 'health' | 'send' | 'leaseMs'
>;

/** From the names in the environment. */
export function createDeliveryPorts({ clients, environment, log, onDisabled }: DeliveryPortOptions): Ports {
  const { client } = clients;
  const clock = systemClock;
  const sealer = createWebhookSealer({ environment, log });
  const publish = createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus));
  const store = createSubscriptionStore({ clients, environment });
  return {
    secrets: new DynamoSigningSecretStore(client, requireTable(environment, 'webhooks'), sealer),
    events: new DynamoEventStore(client, requireTable(environment, 'events'), sealer, clock),
    deliveries: createDeliveryStore({ clients, environment }),
    triggers: createTriggerQueue({
      queues: createQueueClient(),
      schedules: createScheduleClient(),
      environment,
      clock,
    }),
    health: new ReceiverHealth({ store, publish, clock, onDisabled, log }),
    leaseMs: requirePositiveInteger(environment, VARIABLES.deliveryLeaseSeconds) * 1000,
    send: createSender({ allowLoopback: loopbackAllowed(environment), resolve: createResolve() }),
  };
}
