/**
 * The bucket of recordings, for the time of their transcription, and the rights on it. It keeps nothing: calls delete what
 * they have stored, the sweeper what they have left, and S3 what is a day old. It has a name of ours, by which stacks
 * refer to it without importing it, so that a setting can remove it.
 */
import { Aws, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import type { Config } from '../config/config.ts';
import { recordingsBucketName } from '../config/stage-names.ts';
import { objectsArn } from './builds-bucket.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';

/** The shortest time of a lifecycle rule. */
const EXPIRATION = Duration.days(1);

const ACCOUNT = '<AWS::AccountId>';

type Place = Pick<Config, 'stage' | 'region'>;

/** Without a token of one stack, which would refer to that stack in another one. */
const nameOf = ({ stage, region = Aws.REGION }: Place): string =>
  recordingsBucketName(stage, Aws.ACCOUNT_ID, region);

export class RecordingsBucket extends Construct {
  constructor(scope: Construct, id: string, place: Place) {
    super(scope, id);
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: nameOf(place),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.DESTROY,
      lifecycleRules: [{ expiration: EXPIRATION, abortIncompleteMultipartUploadAfter: EXPIRATION }],
    });
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason:
        'A log of accesses would outlive the recordings. Each job is logged by the function that starts it.',
    });
  }
}

/** Actions of a call on the objects of its job. Transcribe reads and writes with the rights of who starts a job. */
const CALL_ACTIONS = ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'];

/** Allows calls to store recordings and to have them transcribed; returns the variables of the bucket. */
export function allowRecordings(role: Role, config: Config): Record<string, string> {
  const bucket = nameOf(config);
  allowObjects(role, config, CALL_ACTIONS);
  allow(role, ['transcribe:StartTranscriptionJob'], '*', {
    StringEquals: { 'transcribe:OutputBucketName': bucket },
  });
  allowJobs(role, config, ['transcribe:GetTranscriptionJob', 'transcribe:DeleteTranscriptionJob']);
  const { encryptionKey = 'none' } = config;
  return { [VARIABLES.recordingsBucket]: bucket, [VARIABLES.recordingsKey]: encryptionKey };
}

/** Allows the sweeper to delete what calls have left; returns the variable with the name of the bucket. */
export function allowRecordingSweep(role: Role, config: Config): Record<string, string> {
  allowObjects(role, config, ['s3:DeleteObject']);
  allow(role, ['transcribe:ListTranscriptionJobs'], '*');
  allowJobs(role, config, ['transcribe:DeleteTranscriptionJob']);
  return { [VARIABLES.recordingsBucket]: nameOf(config) };
}

/** Allows the actions on objects, and to list them: without that right, a missing object is one that is denied. */
function allowObjects(role: Role, config: Config, actions: readonly string[]): void {
  allow(role, ['s3:ListBucket'], objectsArn(role, nameOf(config)));
  allow(role, actions, objectsArn(role, nameOf(config), '*'));
  const objects = `arn:${reportedPartition(role)}:s3:::${reportedName(config)}/*`;
  acknowledge(role, objects, 'Each object is named after its job, and the bucket has no others.');
}

function allowJobs(role: Role, config: Config, actions: readonly string[]): void {
  const resourceName = `${nameOf(config)}.*`;
  allow(
    role,
    actions,
    Stack.of(role).formatArn({ service: 'transcribe', resource: 'transcription-job', resourceName }),
  );
  const account = `arn:${reportedPartition(role)}:transcribe:${reportedRegion(role)}:${ACCOUNT}`;
  const jobs = `${account}:transcription-job/${reportedName(config)}.*`;
  acknowledge(role, jobs, 'Each job is named after its call; the name of the bucket confines them.');
  acknowledge(
    role,
    '*',
    'The other actions take no resource (service authorization reference, Amazon Transcribe).',
  );
}

const reportedName = ({ stage, region = '<AWS::Region>' }: Place): string =>
  recordingsBucketName(stage, ACCOUNT, region);

function allow(role: Role, actions: readonly string[], resource: string, conditions = {}): void {
  role.addToPolicy(new PolicyStatement({ actions: [...actions], resources: [resource], conditions }));
}

const acknowledge = (role: Role, resource: string, reason: string): void =>
  Validations.of(role).acknowledge({ id: `AwsSolutions-IAM5[Resource::${resource}]`, reason });
