/** Lambda handlers of the functions that no caller waits for: schedules, streams, workflows and queues. */

import type { Measure, Metric } from '../core/ports.ts';
import { consumer, type QueueMessage, queueReader } from '../http/consumers.ts';
import { createMeasure, createMetric } from '../system/metrics.ts';
import { createDataResources, type DataResources } from './resources.ts';

export type ConsumerResources = DataResources & { readonly measure: Measure; readonly metric: Metric };

const createConsumerResources = (): ConsumerResources => ({
  ...createDataResources(),
  measure: createMeasure(),
  metric: createMetric(),
});

/** Runs once per invocation. Throws an error that names a variable that is not set. */
export const consumerHandler = <Input, Output>(
  build: (resources: ConsumerResources) => (input: Input) => Promise<Output>,
) => consumer(build(createConsumerResources()));

/** Runs once per message of a queue's batch. Throws an error that names a variable that is not set. */
export function queueHandler(
  build: (resources: ConsumerResources) => (message: QueueMessage) => Promise<void>,
) {
  const resources = createConsumerResources();
  return queueReader(build(resources), resources.log);
}
