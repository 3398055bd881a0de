/** Webhook deliveries: the functions that read the queues. */
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import type { ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import { QUEUES, type QueueName, type Queue as QueueSpec } from '../../lambdas/platform/contract/queues.ts';
import { readersAtOnce } from '../config/concurrency.ts';
import { type ConsumerProps, consumerFunction } from './consumer-function.ts';
import type { Messaging } from './messaging.ts';

export interface WebhookDeliveryProps extends ConsumerProps {
  readonly messaging: Messaging;
}

export class WebhookDelivery extends Construct {
  readonly #props: WebhookDeliveryProps;

  constructor(scope: Construct, id: string, props: WebhookDeliveryProps) {
    super(scope, id);
    this.#props = props;
    const specs = Object.entries(QUEUES) as [QueueName, QueueSpec][];
    const consumers = new Set(specs.flatMap(([, { reader }]) => reader?.consumer ?? []));
    for (const consumer of consumers) this.#reader(consumer, specs);
  }

  #reader(name: ConsumerName, specs: readonly [QueueName, QueueSpec][]): void {
    const reader = consumerFunction(this, name, this.#props);
    for (const [queue, spec] of specs) {
      if (spec.reader?.consumer !== name) continue;
      const mapping = new EventSourceMapping(this, `${queue}-mapping`, {
        target: reader.function,
        eventSourceArn: this.#props.messaging.queue(queue).queueArn,
        batchSize: spec.reader.batchSize,
        maxConcurrency: readersAtOnce(spec.reader.maxConcurrency, this.#props.config),
        reportBatchItemFailures: true,
      });
      // Lambda checks that the role may read the queue when the mapping is created.
      mapping.node.addDependency(reader);
    }
  }
}
