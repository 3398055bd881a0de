/** A function that follows the changes of the table in its grants. */
import type { Duration } from 'aws-cdk-lib';
import { EventSourceMapping, type EventSourceMappingOptions, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import type { ConsumerName } from '../../lambdas/platform/contract/consumers.ts';
import { GRANTS } from '../config/grants.ts';
import { type ConsumerProps, consumerFunction } from './consumer-function.ts';

/** The number of records that one invocation handles within two seconds. */
const BATCH_SIZE = 100;

interface FollowerOptions {
  readonly name: ConsumerName;
  /** The time for which a batch is collected. */
  readonly window: Duration;
  /** The handling of batches that fail: by default they are tried until the stream drops them, after 24 hours. */
  readonly failures?: Pick<
    EventSourceMappingOptions,
    'bisectBatchOnError' | 'retryAttempts' | 'maxRecordAge'
  >;
}

export function followTable(
  scope: Construct,
  { name, window, failures }: FollowerOptions,
  props: ConsumerProps,
): void {
  const { follows } = GRANTS[name];
  const follower = consumerFunction(scope, name, props);
  const stream = follows && props.data.tables[follows.table]?.tableStreamArn;
  if (follows === undefined || stream === undefined)
    throw new Error(`${name} follows no table with a stream`);
  const { dead } = follows;
  const mapping = new EventSourceMapping(scope, `${name}-mapping`, {
    target: follower.function,
    eventSourceArn: stream,
    startingPosition: StartingPosition.TRIM_HORIZON,
    batchSize: BATCH_SIZE,
    maxBatchingWindow: window,
    ...failures,
    // What the role may send is in the grants.
    ...(dead === undefined
      ? {}
      : { onFailure: { bind: () => ({ destination: props.messaging?.queue(dead).queueArn ?? '' }) } }),
  });
  // Lambda checks that the role may read the stream when the mapping is created.
  mapping.node.addDependency(follower);
}
