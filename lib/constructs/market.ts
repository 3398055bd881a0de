/**
 * The resources in addition to the routes of listings: the followers of their changes, the rankings and what is due.
 */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { MARKET_CONSUMERS } from '../../lambdas/platform/contract/market-consumers.ts';
import { GRANTS } from '../config/grants.ts';
import { scanUploads } from './builds-bucket.ts';
import { type ConsumerProps, consumerFunction, runOnSchedule } from './consumer-function.ts';
import type { Messaging } from './messaging.ts';

export interface MarketProps extends ConsumerProps {
  readonly messaging: Messaging;
}

/** The number of records that one invocation handles within two seconds. */
const BATCH_SIZE = 100;

/** The functions that receive each change of the listings, and the time for which a batch is collected. */
const FOLLOWERS = {
  // Many concurrent installs result in one ranking; a delay of a second is not noticeable in an event.
  'follow-listings': Duration.seconds(1),
  // Each batch with a change of a listing writes the whole index: the window bounds the cost of constant changes.
  'build-search-index': Duration.seconds(10),
} as const;

/** With Lambda's growing pauses, about an hour; the batch is halved meanwhile, so that one bad record stands alone. */
const RETRIES = 20;

/** A record that could not be processed for this long is recorded and skipped; the stream itself retains 24 hours. */
const MAX_RECORD_AGE = Duration.hours(12);

export class Market extends Construct {
  readonly #props: MarketProps;

  constructor(scope: Construct, id: string, props: MarketProps) {
    super(scope, id);
    this.#props = props;
    this.#follow('follow-listings');
    this.#follow('build-search-index');
    this.#recordScans();
    for (const name of ['rank-trending', 'process-due-items'] as const) {
      const schedule = Schedule.expression(MARKET_CONSUMERS[name].schedule);
      runOnSchedule(this, { name, schedule, ruleId: `${name}-schedule` }, props);
    }
  }

  /** The function decides on the key of an object: a pattern of a prefix would not spare an invocation. */
  #recordScans(): void {
    const { config, data } = this.#props;
    const bucket = data.buildsBucket;
    if (bucket === undefined) throw new Error('builds have no bucket');
    if (config.buildScan === 'guardduty') scanUploads(this, bucket, config);
    const { function: recorder } = consumerFunction(this, 'record-scans', this.#props);
    new Rule(this, 'BuildUploads', {
      description: 'Uploads of builds',
      eventPattern: {
        source: ['aws.s3'],
        detailType: ['Object Created'],
        detail: { bucket: { name: [bucket] } },
      },
      targets: [new LambdaFunction(recorder)],
    });
    new Rule(this, 'BuildScans', {
      description: 'Verdicts of the malware scanner on uploads of builds',
      eventPattern: {
        source: ['aws.guardduty'],
        detailType: ['GuardDuty Malware Protection Object Scan Result'],
        detail: { s3ObjectDetails: { bucketName: [bucket] } },
      },
      targets: [new LambdaFunction(recorder)],
    });
  }

  #follow(name: keyof typeof FOLLOWERS): void {
    const { data, messaging } = this.#props;
    const { follows } = GRANTS[name];
    const follower = consumerFunction(this, name, this.#props);
    const stream = follows && data.tables[follows.table]?.tableStreamArn;
    if (follows === undefined || stream === undefined)
      throw new Error(`${name} follows no table with a stream`);
    const mapping = new EventSourceMapping(this, `${name}-mapping`, {
      target: follower.function,
      eventSourceArn: stream,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      maxBatchingWindow: FOLLOWERS[name],
      bisectBatchOnError: true,
      retryAttempts: RETRIES,
      maxRecordAge: MAX_RECORD_AGE,
      // What the role may send is in the grants.
      onFailure: { bind: () => ({ destination: messaging.queue(follows.dead).queueArn }) },
    });
    // Lambda checks that the role may read the stream when the mapping is created.
    mapping.node.addDependency(follower);
  }
}
