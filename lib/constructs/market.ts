/**
 * The resources in addition to the routes of listings: the followers of their changes, the rankings and what is due.
 */
import { Duration } from 'aws-cdk-lib';
import { Rule, Schedule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction } from 'aws-cdk-lib/aws-events-targets';
import { Construct } from 'constructs';
import { MARKET_CONSUMERS } from '../../lambdas/platform/contract/market-consumers.ts';
import { scanUploads } from './builds-bucket.ts';
import { type ConsumerProps, consumerFunction, runOnSchedule } from './consumer-function.ts';
import type { Messaging } from './messaging.ts';
import { followTable } from './table-follower.ts';

export interface MarketProps extends ConsumerProps {
  readonly messaging: Messaging;
}

/** The functions that receive each change of the listings, and the time for which a batch is collected. */
const FOLLOWERS = {
  // Many concurrent installs result in one ranking; a delay of a second is not noticeable in an event.
  'follow-listings': Duration.seconds(1),
  // Each batch with a change of a listing writes the whole index: the window bounds the cost of constant changes.
  'build-search-index': Duration.seconds(10),
} as const;

const FAILURES = {
  bisectBatchOnError: true,
  // With Lambda's growing pauses, about an hour; the batch is halved meanwhile, so that one bad record stands alone.
  retryAttempts: 20,
  // A record that could not be processed for this long is recorded and skipped; the stream itself retains 24 hours.
  maxRecordAge: Duration.hours(12),
};

export class Market extends Construct {
  readonly #props: MarketProps;

  constructor(scope: Construct, id: string, props: MarketProps) {
    super(scope, id);
    this.#props = props;
    for (const [name, window] of Object.entries(FOLLOWERS))
      followTable(this, { name: name as keyof typeof FOLLOWERS, window, failures: FAILURES }, props);
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
}
