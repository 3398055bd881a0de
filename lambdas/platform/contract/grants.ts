/** The permissions that a function may be granted. */
import type { CountedQueue, QueueName } from './queues.ts';
import type { TableName } from './tables.ts';

export interface Grants {
  /** DynamoDB actions by table. */
  readonly tables?: Partial<Record<TableName, readonly DynamoAction[]>>;
  /** Indexes that may be queried. */
  readonly indexes?: readonly { readonly table: TableName; readonly name: string }[];
  /** Reads the pepper that verifies API keys. */
  readonly keyPepper?: true;
  /** Reads the key that signs sessions. */
  readonly sessionKey?: true;
  /** Knows the name of the service that people read. */
  readonly serviceName?: true;
  /** Reads the settings of the identity providers. */
  readonly identityProviders?: true;
  /** Reads the secrets of the identity providers that need one. */
  readonly identitySecret?: true;
  /** Talks to the payment provider, and reads its secret. */
  readonly payments?: true;
  /** Knows the page to which a payer returns from a checkout. */
  readonly checkouts?: true;
  /** Knows whether sellers are paid. */
  readonly payouts?: true;
  /** Knows the same, and talks to the payment provider with its secret where sellers are paid, and only there. */
  readonly payoutProvider?: true;
  /** Sells listings, of whose price the platform keeps a part. */
  readonly marketFee?: true;
  /** Actions on the builds of listings: of uploads, which are in quarantine, and of artifacts, which are downloaded. */
  readonly builds?: readonly BuildAction[];
  /** Knows which program scans builds. */
  readonly buildScan?: true;
  /** Knows the origin to which builds are uploaded. */
  readonly uploadOrigin?: true;
  /** Reads the upstream providers' secrets (`<stage>/providers/...`). */
  readonly providerSecrets?: true;
  /** Calls the models of Amazon Bedrock. */
  readonly bedrockModels?: true;
  /** Calls models at `bedrock-mantle`, and at Claude Platform on AWS. */
  readonly signedModels?: true;
  /** Speaks with Amazon Polly. */
  readonly speech?: true;
  /** Applies the guardrails of Amazon Bedrock that routes name. */
  readonly guardrails?: true;
  /** Starts the workflow that settles transcriptions. */
  readonly settlements?: true;
  /** Stores recordings for the time of their transcription by Amazon Transcribe. */
  readonly recordings?: true;
  /** Deletes the recordings that calls have left. */
  readonly recordingSweep?: true;
  /** Reads the key of the scheduled smoke test. */
  readonly smokeAccess?: true;
  /** Opens and recovers holds, so it needs their life. */
  readonly holds?: true;
  /** Reads the key that seals webhook secrets and event data. */
  readonly webhookKey?: true;
  /** Queues it sends to. Who reads a queue is in the contract of the queues. */
  readonly sends?: readonly QueueName[];
  /** Queues whose messages it counts, and neither reads nor sends. */
  readonly counts?: readonly CountedQueue[];
  /** Plans one-time schedules. */
  readonly schedules?: true;
  /** Publishes to the platform's bus. */
  readonly publishes?: true;
  /** Mails from the operator's address to that of an account, if the settings have one. */
  readonly mails?: true;
  /** Follows the changes of a table. What it fails at for good is noted in the queue; without one, it tries until a change expires. */
  readonly follows?: { readonly table: TableName; readonly dead?: QueueName };
}

/** A request of Amazon S3 under one of the two prefixes, or a scan that GuardDuty is requested to make. */
export type BuildAction =
  | 'PutUpload'
  | 'GetUpload'
  | 'PutArtifact'
  | 'GetArtifact'
  | 'DeleteArtifact'
  | 'RequestScan';

export type DynamoAction =
  | 'GetItem'
  | 'BatchGetItem'
  | 'BatchWriteItem'
  | 'ConditionCheckItem'
  | 'PutItem'
  | 'UpdateItem'
  | 'DeleteItem'
  | 'Query'
  | 'Scan';
