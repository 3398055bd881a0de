/** Sends deliveries: makes the attempts that triggers name, and counts what becomes of them. */
import { createEventClient, createQueueClient, createScheduleClient } from '../../../platform/aws/clients.ts';
import { createResolve, loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import {
  requirePositiveInteger,
  requireVariable,
  VARIABLES,
} from '../../../platform/contract/environment.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { queueHandler } from '../../../platform/handlers/consumer-handler.ts';
import { systemRandom } from '../../../platform/system/system.ts';
import { DeliveryWorker } from '../../core/deliver.ts';
import { ReceiverHealth } from '../../core/receiver-health.ts';
import {
  createDeliveryStore,
  createSigningSecretStore,
  createSubscriptionStore,
} from '../../store/create-webhook-stores.ts';
import { createPublisher } from '../../store/event-publisher.ts';
import { createEventStore } from '../../store/event-store.ts';
import { createTriggerQueue, laneOfQueue, triggerSchema } from '../../store/trigger-queue.ts';
import { createSender } from '../../store/webhook-sender.ts';

export const handler = queueHandler(({ metric, ...resources }) => {
  const { clients, environment, clock } = resources;
  const publish = createPublisher(createEventClient(), requireVariable(environment, VARIABLES.eventBus));
  const worker = new DeliveryWorker({
    ...resources,
    secrets: createSigningSecretStore(resources),
    events: createEventStore(clients.client, resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerQueue({
      ...resources,
      queues: createQueueClient(),
      schedules: createScheduleClient(),
    }),
    health: new ReceiverHealth({
      ...resources,
      store: createSubscriptionStore(resources),
      publish,
      onDisabled: () => metric(METRICS.webhooksDisabled, 1),
    }),
    claimMs: requirePositiveInteger(environment, VARIABLES.deliveryClaimSeconds) * 1000,
    send: createSender({ allowLoopback: loopbackAllowed(environment), resolve: createResolve() }),
    watch: {
      onAttempt({ number, outcome }, { createdMs }) {
        metric(outcome === 'delivered' ? METRICS.deliveriesSucceeded : METRICS.attemptsFailed, 1);
        if (outcome === 'delivered' && number === 1) metric(METRICS.deliveryLatency, clock() - createdMs);
        if (outcome === 'forbidden_address') metric(METRICS.addressesForbidden, 1);
      },
      onDead(reason) {
        if (reason === 'exhausted') metric(METRICS.deliveriesDead, 1);
      },
    },
    random: systemRandom,
  });
  const laneOf = laneOfQueue(environment);
  return ({ body, queueArn }) => worker.handle(triggerSchema.parse(body), laneOf(queueArn));
});
