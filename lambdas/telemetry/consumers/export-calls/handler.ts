/** Follows the usage table: makes deliveries of settled calls for the receivers of telemetry. */
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { BoundedMap } from '../../../platform/core/bounded-map.ts';
import { consumerHandler } from '../../../platform/handlers/consumer-handler.ts';
import {
  createDeliveryStore,
  createSubscriptionStore,
} from '../../../webhooks/store/create-webhook-stores.ts';
import { createEventStore } from '../../../webhooks/store/event-store.ts';
import { createTriggerSender } from '../../../webhooks/store/trigger-queue.ts';
import { exportCalls, MAX_REMEMBERED, rememberedDestinations } from '../../core/export-calls.ts';
import { settledCalls } from '../../store/usage-changes.ts';

export const handler = consumerHandler(({ metric, ...resources }) => {
  const { clients, clock, environment, log } = resources;
  const subscriptions = createSubscriptionStore(resources);
  const dependencies = {
    find: rememberedDestinations(subscriptions, clock, new BoundedMap(MAX_REMEMBERED)),
    events: createEventStore(clients.client, resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerSender(createQueueClient(), environment),
    clock,
  };
  const onUnreadable = () => {
    log.error('a usage record cannot be read');
    metric(METRICS.telemetryDropped, 1);
  };
  return (input: unknown) => exportCalls(dependencies, settledCalls(input, onUnreadable));
});
