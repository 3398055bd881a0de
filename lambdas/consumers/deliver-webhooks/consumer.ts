/** Reads wakes and makes the attempts they ask for. */
import { DeliveryWorker, type DeliveryWorkerDependencies } from '../../core/webhooks/deliver.ts';
import type { Lane } from '../../core/webhooks/ports.ts';
import { wakeSchema } from './schema.ts';

export interface DeliverWebhooksDependencies extends DeliveryWorkerDependencies {
  readonly laneOfQueue: (queueArn: string) => Lane;
}

/** Handles one message: a wake, and the queue it waited in. */
export function deliverWebhooks(dependencies: DeliverWebhooksDependencies) {
  const deliver = new DeliveryWorker(dependencies);
  return ({ body, queueArn }: { readonly body: unknown; readonly queueArn: string }): Promise<void> =>
    deliver.handle(wakeSchema.parse(body), dependencies.laneOfQueue(queueArn));
}
