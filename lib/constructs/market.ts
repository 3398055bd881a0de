/**
 * The resources in addition to the routes of listings: the follower of their changes, the search index, the rankings and
 * what is due.
 */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { EventSourceMapping, StartingPosition } from 'aws-cdk-lib/aws-lambda';
import { Construct } from 'constructs';
import { MARKETPLACE_GRANTS } from '../../lambdas/marketplace/grants.ts';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import { buildsBucketName } from '../config/names.ts';
import { type ConsumerProps, consumerFunction, runOnSchedule } from './consumer-function.ts';
import type { Messaging } from './messaging.ts';

export interface MarketProps extends ConsumerProps {
  readonly messaging: Messaging;
}

/** The number of records that one invocation handles within two seconds. */
const BATCH_SIZE = 100;

/**
 * Many concurrent changes result in one ranking; a delay of a second until a listing is searchable is not noticeable.
 */
const BATCHING = Duration.seconds(1);

/** With Lambda's growing pauses, about an hour; the batch is halved meanwhile, so that one bad record stands alone. */
const RETRIES = 20;

/** A record that could not be processed for this long is recorded and skipped; the stream itself retains 24 hours. */
const MAX_RECORD_AGE = Duration.hours(12);

const FOLLOWER = 'follow-listings';
const { table: FOLLOWED, dead: DEAD } = MARKETPLACE_GRANTS[FOLLOWER].follows;

export class Market extends Construct {
  readonly #props: MarketProps;

  constructor(scope: Construct, id: string, props: MarketProps) {
    super(scope, id);
    this.#props = props;
    this.#follow();
    this.#recordScans();
    for (const name of ['build-search-index', 'rank-trending', 'process-due-items'] as const) {
      const schedule = Schedule.expression(CONSUMERS[name].schedule);
      runOnSchedule(this, { name, schedule, ruleId: `${name}-schedule` }, props);
    }
  }

  /** The function decides on the key of an object: a pattern of a prefix would not spare an invocation. */
  #recordScans(): void {
    const { config } = this.#props;
    const bucket = buildsBucketName(this, config.stage);
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

  #follow(): void {
    const { data, messaging } = this.#props;
    const follower = consumerFunction(this, FOLLOWER, this.#props);
    const { tableStreamArn } = data.tables[FOLLOWED];
    if (tableStreamArn === undefined) throw new Error(`the table ${FOLLOWED} has no stream`);
    const mapping = new EventSourceMapping(this, `${FOLLOWER}-mapping`, {
      target: follower.function,
      eventSourceArn: tableStreamArn,
      startingPosition: StartingPosition.TRIM_HORIZON,
      batchSize: BATCH_SIZE,
      maxBatchingWindow: BATCHING,
      bisectBatchOnError: true,
      retryAttempts: RETRIES,
      maxRecordAge: MAX_RECORD_AGE,
      // What the role may send is in the grants.
      onFailure: { bind: () => ({ destination: messaging.queues[DEAD].queueArn }) },
    });
    // Lambda checks that the role may read the stream when the mapping is created.
    mapping.node.addDependency(follower);
  }
}
