/** Makes a delivery of each of the platform's events, as the bus passes them on, for every subscription to it. */
import { createQueueClient } from '../../../platform/aws/clients.ts';
import { METRICS } from '../../../platform/contract/metrics.ts';
import { queueHandler } from '../../../platform/handlers/consumer-handler.ts';
import { fanOut } from '../../core/fan-out.ts';
import { createAlertMail } from '../../store/alert-mail.ts';
import { createDeliveryStore, createSubscriptionStore } from '../../store/create-webhook-stores.ts';
import { createEventStore } from '../../store/event-store.ts';
import { createTriggerSender } from '../../store/trigger-queue.ts';

export const handler = queueHandler(({ metric, ...resources }) => {
  const dependencies = {
    ...resources,
    events: createEventStore(resources.clients.client, resources),
    subscriptions: createSubscriptionStore(resources),
    deliveries: createDeliveryStore(resources),
    triggers: createTriggerSender(createQueueClient(), resources.environment),
    mail: createAlertMail({ ...resources, onRejected: () => metric(METRICS.mailsRejected, 1) }),
    onCreated: (deliveries: number) => metric(METRICS.deliveriesCreated, deliveries),
    onRejected: () => metric(METRICS.eventsRejected, 1),
  };
  return ({ body }) => fanOut(dependencies, body);
});
