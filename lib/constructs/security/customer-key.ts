/**
 * A customer managed key in AWS KMS for all data at rest: tables, builds, queues, topics, logs and secrets. The key is created
 * and owned elsewhere. Its policy must allow its use by the services that act by themselves (`docs/operate/secrets.md`).
 */
import { Aspects, Aws, type IAspect } from 'aws-cdk-lib';
import { CfnGlobalTable } from 'aws-cdk-lib/aws-dynamodb';
import { type IRole, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { CfnLogGroup } from 'aws-cdk-lib/aws-logs';
import { CfnBucket } from 'aws-cdk-lib/aws-s3';
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager';
import { CfnTopic } from 'aws-cdk-lib/aws-sns';
import { CfnQueue } from 'aws-cdk-lib/aws-sqs';
import type { Construct, IConstruct } from 'constructs';
import type { Config } from '../../config/config.ts';

type Key = Pick<Config, 'encryptionKey'>;

/** Seals with the key whatever the scope holds, also what is added to it later. Does nothing without a key. */
export function sealWith({ encryptionKey: key }: Key, scope: Construct): void {
  if (key !== undefined) Aspects.of(scope).add(new Sealing(key));
}

class Sealing implements IAspect {
  readonly #key: string;

  constructor(key: string) {
    this.#key = key;
  }

  visit(node: IConstruct): void {
    const key = this.#key;
    if (node instanceof CfnGlobalTable)
      // The key of a replica is one of its region; that the table is sealed under a key it states itself.
      node.addPropertyOverride('Replicas.0.SSESpecification', { KMSMasterKeyId: key });
    else if (node instanceof CfnQueue) {
      node.kmsMasterKeyId = key;
      // SQS takes one of the two.
      node.sqsManagedSseEnabled = undefined;
    } else if (node instanceof CfnBucket)
      node.bucketEncryption = {
        serverSideEncryptionConfiguration: [
          {
            serverSideEncryptionByDefault: { sseAlgorithm: 'aws:kms', kmsMasterKeyId: key },
            bucketKeyEnabled: true,
          },
        ],
      };
    else if (node instanceof CfnTopic) node.kmsMasterKeyId = key;
    else if (node instanceof CfnLogGroup) node.kmsKeyId = key;
    else if (node instanceof CfnSecret) node.kmsKeyId = key;
  }
}

/** The services through which our roles access sealed data. */
const SERVICES = ['dynamodb', 's3', 'secretsmanager', 'sqs'] as const;

/** The permission to read and write sealed data, through the services that store it and never with the key itself. */
export const sealedAccess = ({ encryptionKey: key }: Key): PolicyStatement[] =>
  key === undefined
    ? []
    : [
        new PolicyStatement({
          actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
          resources: [key],
          conditions: {
            StringEquals: {
              'kms:ViaService': SERVICES.map((service) => `${service}.${Aws.REGION}.amazonaws.com`),
            },
          },
        }),
      ];

export function allowSealed(config: Key, role: IRole): void {
  for (const statement of sealedAccess(config)) role.addToPrincipalPolicy(statement);
}
