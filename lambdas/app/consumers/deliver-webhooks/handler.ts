/**
 * Sends deliveries: makes the attempts that triggers name, and counts what becomes of them. Telemetry registers the way in
 * which its batches are posted.
 */
import { createQueueClient, createScheduleClient } from '../../../platform/aws/clients.ts';
import { createEventPublisher } from '../../../platform/aws/event-publisher.ts';
import { createResolve, loopbackAllowed } from '../../../platform/connections/address-guard.ts';
import { requirePositiveInteger, VARIABLES } from '../../../platform/contract/environment.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { RELEASE } from '../../../platform/contract/release.ts';
import { queueHandler } from '../../../platform/handlers/consumer-handler.ts';
import { systemRandom } from '../../../platform/system/system.ts';
import { createBatchPost } from '../../../telemetry/core/post-batch.ts';
import { decodeCall } from '../../../telemetry/store/usage-changes.ts';
import { DeliveryWorker } from '../../../webhooks/core/deliver.ts';
import { CALLS_SETTLED } from '../../../webhooks/core/event.ts';
import { ReceiverHealth } from '../../../webhooks/core/receiver-health.ts';
import {
  createDeliveryStore,
  createSigningSecretStore,
  createSubscriptionStore,
} from '../../../webhooks/store/create-webhook-stores.ts';
import { createEventStore } from '../../../webhooks/store/event-store.ts';
import { createTriggerQueue, laneOfQueue, triggerSchema } from '../../../webhooks/store/trigger-queue.ts';
import { createSender } from '../../../webhooks/store/webhook-sender.ts';

const SERVICE = { name: 'unified-inference', version: RELEASE };

export const handler = queueHandler(({ metric, ...resources }) => {
  const { clients, environment, clock } = resources;
  const send = createSender({ allowLoopback: loopbackAllowed(environment), resolve: createResolve() });
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
      publish: createEventPublisher(clients.client, environment),
      onDisabled: () => metric(METRICS.webhooksDisabled, 1),
    }),
    claimMs: requirePositiveInteger(environment, VARIABLES.deliveryClaimSeconds) * 1000,
    send,
    posts: { [CALLS_SETTLED]: createBatchPost({ send, decode: decodeCall, service: SERVICE }) },
    watch: {
      onAttempt({ number, outcome }, { createdMs, eventType }) {
        const isDelivered = outcome === 'delivered';
        if (outcome === 'forbidden_address') metric(METRICS.addressesForbidden, 1);
        if (eventType === CALLS_SETTLED)
          return metric(isDelivered ? METRICS.telemetryDelivered : METRICS.telemetryFailed, 1);
        metric(isDelivered ? METRICS.deliveriesSucceeded : METRICS.attemptsFailed, 1);
        if (isDelivered && number === 1) metric(METRICS.deliveryLatency, clock() - createdMs);
      },
      onDead(reason, { eventType }) {
        if (eventType === CALLS_SETTLED) metric(METRICS.telemetryDropped, 1);
        else if (reason === 'exhausted') metric(METRICS.deliveriesDead, 1);
      },
    },
    random: systemRandom,
  });
  const laneOf = laneOfQueue(environment);
  return ({ body, queueArn }) => worker.handle(triggerSchema.parse(body), laneOf(queueArn));
});
