/** Webhook deliveries: the functions that read the queues, and the alarms that say when nobody does. */
import { Duration } from 'aws-cdk-lib';
import {
  Alarm,
  ComparisonOperator,
  type IMetric,
  Metric,
  TreatMissingData,
} from 'aws-cdk-lib/aws-cloudwatch';
import { EventSourceMapping } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { CONSUMERS, type ConsumerName } from '../../lambdas/contract/consumers.ts';
import { METRIC_NAMESPACE, METRICS } from '../../lambdas/contract/metrics.ts';
import { QUEUES, type QueueName, type Queue as QueueSpec } from '../../lambdas/contract/queues.ts';
import type { Config } from '../config/config.ts';
import type { DataStack } from '../stacks/data-stack.ts';
import type { Messaging } from './messaging.ts';
import { ServiceFunction } from './service-function.ts';

export interface WebhookDeliveryProps {
  readonly config: Config;
  readonly data: DataStack;
  readonly bundles: string;
  readonly messaging: Messaging;
}

/** A first attempt that waits so long says that the readers do not keep up. */
const LATE = Duration.minutes(2);

export class WebhookDelivery extends Construct {
  readonly #props: WebhookDeliveryProps;

  constructor(scope: Construct, id: string, props: WebhookDeliveryProps) {
    super(scope, id);
    this.#props = props;
    const specs = Object.entries(QUEUES) as [QueueName, QueueSpec][];
    const consumers = new Set(specs.flatMap(([, { reader }]) => reader?.consumer ?? []));
    for (const consumer of consumers) this.#reader(consumer, specs);
    this.#alarms();
  }

  #reader(name: ConsumerName, specs: readonly [QueueName, QueueSpec][]): void {
    const { timeoutSeconds } = CONSUMERS[name];
    const reader = new ServiceFunction(this, name, { ...this.#props, name, timeoutSeconds });
    for (const [queue, spec] of specs) {
      if (spec.reader?.consumer !== name) continue;
      const mapping = new EventSourceMapping(this, `${queue}-mapping`, {
        target: reader.function,
        eventSourceArn: this.#props.messaging.queues[queue].queueArn,
        batchSize: spec.reader.batchSize,
        maxConcurrency: spec.reader.maxConcurrency,
        reportBatchItemFailures: true,
      });
      // Lambda checks that the role may read the queue when the mapping is made.
      mapping.node.addDependency(reader);
    }
  }

  /** Each is named after its article in the runbook. */
  #alarms(): void {
    const { queues } = this.#props.messaging;
    const visible = (name: QueueName) =>
      queues[name].metricApproximateNumberOfMessagesVisible({
        period: Duration.minutes(5),
        statistic: 'Maximum',
      });
    this.#alarm('webhook-dead-events', visible('deadEvents'), 1);
    this.#alarm('webhook-dead-deliveries', visible('deadDeliveries'), 1);
    const age = queues.deliveries.metricApproximateAgeOfOldestMessage({ period: Duration.minutes(1) });
    this.#alarm('webhook-deliveries-late', age, LATE.toSeconds());
    const rejected = new Metric({
      namespace: METRIC_NAMESPACE,
      metricName: METRICS.eventsRejected,
      dimensionsMap: { service: 'fan-out-events' satisfies ConsumerName },
      statistic: 'Sum',
      period: Duration.minutes(5),
    });
    this.#alarm('webhook-events-rejected', rejected, 1);
  }

  #alarm(name: string, metric: IMetric, threshold: number): void {
    new Alarm(this, name, {
      alarmName: `${this.#props.config.stage}-${name}`,
      alarmDescription: `lib/observability/runbook.md#${name}`,
      metric,
      threshold,
      evaluationPeriods: 1,
      comparisonOperator: ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: TreatMissingData.NOT_BREACHING,
    });
  }
}
