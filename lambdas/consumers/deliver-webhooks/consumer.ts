/** Reads triggers and makes the attempts that they name. */
import * as z from 'zod';
import { DeliveryWorker, type DeliveryWorkerDependencies } from '../../core/webhooks/deliver.ts';
import type { Lane } from '../../core/webhooks/ports.ts';

/** A trigger in queues and schedules. */
const triggerSchema = z.object({
  accountId: z.string().min(1),
  webhookId: z.string().min(1),
  deliveryId: z.string().min(1),
  eventId: z.string().min(1),
  attempt: z.int().min(1),
  manual: z.boolean().default(false),
});

export interface DeliverWebhooksDependencies extends DeliveryWorkerDependencies {
  readonly laneOfQueue: (queueArn: string) => Lane;
}

/** Handles one message: a trigger, and the queue that it waited in. */
export function deliverWebhooks(dependencies: DeliverWebhooksDependencies) {
  const deliver = new DeliveryWorker(dependencies);
  return ({ body, queueArn }: { readonly body: unknown; readonly queueArn: string }): Promise<void> =>
    deliver.handle(triggerSchema.parse(body), dependencies.laneOfQueue(queueArn));
}
