/** Lambda handlers of the functions that no caller waits for: schedules, streams, workflows and queues. */

import { ServiceError } from '../core/errors.ts';
import type { Measure, Metric } from '../core/ports.ts';
import { consumer, type QueueMessage, queueReader } from '../http/consumers.ts';
import { createMeasure, createMetric } from '../system/metrics.ts';
import { createDataResources, type DataResources } from './resources.ts';
import { stageCheck } from './stage-check.ts';

export type ConsumerResources = DataResources & { readonly measure: Measure; readonly metric: Metric };

const createConsumerResources = (): ConsumerResources => ({
  ...createDataResources(),
  measure: createMeasure(),
  metric: createMetric(),
});

/** Throws 503 if the stage has data that this version does not read: another process does the work, or a later run. */
function readable<Input, Output>(run: (input: Input) => Promise<Output>): (input: Input) => Promise<Output> {
  const stage = stageCheck();
  return async (input) => {
    await stage.check('read');
    return run(input);
  };
}

/** Runs once per invocation. Throws an error that names a variable that is not set. */
export const consumerHandler = <Input, Output>(
  build: (resources: ConsumerResources) => (input: Input) => Promise<Output>,
) => consumer(readable(build(createConsumerResources())));

/**
 * Runs once per schedule, unless the service is closed: what it changes would be lost in a restore. The next run after
 * `open` does the work. Throws an error that names a variable that is not set.
 */
export function scheduledChange(build: (resources: ConsumerResources) => () => Promise<void>) {
  const resources = createConsumerResources();
  const run = build(resources);
  const stage = stageCheck();
  return consumer(async () => {
    try {
      await stage.check('change');
    } catch (failure) {
      if (!(failure instanceof ServiceError) || failure.code !== 'maintenance') throw failure;
      resources.log.info('skipped while the service is closed');
      return;
    }
    await run();
  });
}

/** Runs once per message of a queue's batch. Throws an error that names a variable that is not set. */
export function queueHandler(
  build: (resources: ConsumerResources) => (message: QueueMessage) => Promise<void>,
) {
  const resources = createConsumerResources();
  return queueReader(readable(build(resources)), resources.log);
}
