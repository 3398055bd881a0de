/**
 * The bucket of builds. `uploads/` is the quarantine: an upload is scanned by GuardDuty, and removed after a week.
 * `artifacts/` has the bytes that were inspected and found clean.
 */
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnMalwareProtectionPlan } from 'aws-cdk-lib/aws-guardduty';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct } from 'constructs';
import type { Config } from '../config/config.ts';
import { buildsBucketName } from '../config/names.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';
import { sealedAccess } from './security/customer-key.ts';
import { serviceFor } from './security/trust.ts';

const QUARANTINE = Duration.days(7);

const SCANNER = 'malware-protection-plan.guardduty.amazonaws.com';

/** GuardDuty names the rule by which it learns of uploads itself (GuardDuty user guide, "Create or update IAM role policy"). */
const MANAGED_RULES = 'DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*';

/** GuardDuty verifies with it that the role may write, which it needs no more then (the same page). */
const VALIDATION_OBJECT = 'malware-protection-resource-validation-object';

type BucketConfig = Pick<Config, 'stage' | 'buildScan' | 'encryptionKey' | 'edgeDomain' | 'domains'>;

export class BuildsBucket extends Construct {
  readonly bucketName: string;
  readonly #config: BucketConfig;

  constructor(scope: Construct, id: string, { config }: { readonly config: BucketConfig }) {
    super(scope, id);
    this.#config = config;
    const bucket = this.#makeBucket();
    this.bucketName = bucket.bucketName;
    if (config.buildScan === 'guardduty') this.#scan(bucket);
  }

  #makeBucket(): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      bucketName: buildsBucketName(this, this.#config.stage),
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      removalPolicy: RemovalPolicy.RETAIN,
      cors: [
        {
          allowedMethods: [HttpMethods.PUT],
          allowedOrigins: this.#consoleOrigins(),
          allowedHeaders: ['content-type', 'if-none-match', 'x-amz-checksum-sha256'],
          maxAge: 3_600,
        },
      ],
      lifecycleRules: [
        { prefix: 'uploads/', expiration: QUARANTINE, abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
    });
    // The property of the construct would add a function that changes the bucket.
    (bucket.node.defaultChild as CfnBucket).notificationConfiguration = {
      eventBridgeConfiguration: { eventBridgeEnabled: true },
    };
    // No caller may replace an upload, whoever signed it (S3 user guide, "Enforce conditional writes").
    bucket.addToResourcePolicy(
      new PolicyStatement({
        effect: Effect.DENY,
        principals: [new AnyPrincipal()],
        actions: ['s3:PutObject'],
        resources: [bucket.arnForObjects('uploads/*'), bucket.arnForObjects('artifacts/*')],
        conditions: { Null: { 's3:if-none-match': 'true' } },
      }),
    );
    Validations.of(bucket).acknowledge({
      id: 'AwsSolutions-S1',
      reason: 'Uploads and downloads are signed by functions, which log each signature.',
    });
    return bucket;
  }

  /** The signature of an upload authorizes it, whatever its origin; without a custom domain the console has API Gateway's. */
  #consoleOrigins(): string[] {
    const { edgeDomain, domains } = this.#config;
    const names = [edgeDomain?.name, domains?.platform].filter((name) => name !== undefined);
    const { region, urlSuffix } = Stack.of(this);
    return (names.length === 0 ? [`*.execute-api.${region}.${urlSuffix}`] : names).map(
      (name) => `https://${name}`,
    );
  }

  /** The role has what AWS documents as required, except tags, which are off. */
  #scan(bucket: Bucket): void {
    const rules = Stack.of(this).formatArn({
      service: 'events',
      resource: 'rule',
      resourceName: MANAGED_RULES,
    });
    const plans = Stack.of(this).formatArn({
      service: 'guardduty',
      resource: 'malware-protection-plan',
      resourceName: '*',
    });
    const allow = (actions: readonly string[], resource: string, conditions = {}) =>
      new PolicyStatement({ actions: [...actions], resources: [resource], conditions });
    const role = new Role(this, 'ScanRole', {
      assumedBy: serviceFor(SCANNER, plans),
      inlinePolicies: {
        Allowed: new PolicyDocument({
          statements: [
            allow(
              ['events:PutRule', 'events:DeleteRule', 'events:PutTargets', 'events:RemoveTargets'],
              rules,
              {
                StringEquals: { 'events:ManagedBy': SCANNER },
              },
            ),
            allow(['events:DescribeRule', 'events:ListTargetsByRule'], rules),
            allow(
              ['s3:PutBucketNotification', 's3:GetBucketNotification', 's3:ListBucket'],
              bucket.bucketArn,
            ),
            allow(['s3:PutObject'], bucket.arnForObjects(VALIDATION_OBJECT)),
            allow(['s3:GetObject', 's3:GetObjectVersion'], bucket.arnForObjects('uploads/*')),
            // It reads encrypted objects with their key (the same page).
            ...sealedAccess(this.#config),
          ],
        }),
      },
    });
    const [partition, region] = [reportedPartition(this), reportedRegion(this)];
    for (const resource of [
      `arn:${partition}:events:${region}:<AWS::AccountId>:rule/${MANAGED_RULES}`,
      '<BuildsBucket4F7D7BC5.Arn>/uploads/*',
    ])
      Validations.of(role).acknowledge({
        id: `AwsSolutions-IAM5[Resource::${resource}]`,
        reason: 'AWS names the rules, and the functions name the uploads, at run time.',
      });
    const plan = new CfnMalwareProtectionPlan(this, 'ScanPlan', {
      role: role.roleArn,
      protectedResource: { s3Bucket: { bucketName: bucket.bucketName, objectPrefixes: ['uploads/'] } },
      actions: { tagging: { status: 'DISABLED' } },
    });
    // GuardDuty checks the role when the plan is created.
    plan.node.addDependency(role);
  }
}

/** The ARN of objects of the bucket, also in a stack that does not import it. */
export const buildObjectsArn = (scope: Construct, stage: string, prefix: 'uploads' | 'artifacts'): string =>
  Stack.of(scope).formatArn({
    service: 's3',
    region: '',
    account: '',
    resource: `${buildsBucketName(scope, stage)}/${prefix}/*`,
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  });
