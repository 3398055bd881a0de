/**
 * The bucket of builds, and the plan by which GuardDuty scans it. `uploads/` is the quarantine: an upload is scanned, and
 * removed after a week. `artifacts/` has the bytes that were inspected and found clean. A removed artifact remains as an
 * old version for as long as the tables can be restored to a time at which a release offered it.
 */
import { ArnFormat, Duration, RemovalPolicy, Stack, Validations } from 'aws-cdk-lib';
import { CfnMalwareProtectionPlan } from 'aws-cdk-lib/aws-guardduty';
import { AnyPrincipal, Effect, PolicyDocument, PolicyStatement, Role } from 'aws-cdk-lib/aws-iam';
import { BlockPublicAccess, Bucket, BucketEncryption, type CfnBucket, HttpMethods } from 'aws-cdk-lib/aws-s3';
import { Construct, type IConstruct } from 'constructs';
import type { Config } from '../config/config.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';
import { sealedAccess } from './security/customer-key.ts';
import { serviceFor } from './security/trust.ts';

const QUARANTINE = Duration.days(7);

/** The least that S3 keeps an old version. */
const FORGOTTEN_UPLOAD = Duration.days(1);

const SCANNER = 'malware-protection-plan.guardduty.amazonaws.com';

/** GuardDuty names the rule by which it learns of uploads itself (GuardDuty user guide, "Create or update IAM role policy"). */
const MANAGED_RULES = 'DO-NOT-DELETE-AmazonGuardDutyMalwareProtectionS3*';

/** GuardDuty verifies with it that the role may write, which it needs no more then (the same page). */
const VALIDATION_OBJECT = 'malware-protection-resource-validation-object';

/** Short enough that CloudFormation shortens no generated name, so that it starts with that of the stack. */
const BUCKET_ID = 'Builds';

type BucketConfig = Pick<Config, 'edgeDomain' | 'domains' | 'recoveryDays'>;

export class BuildsBucket extends Construct {
  readonly bucketName: string;
  readonly #config: BucketConfig;

  constructor(scope: Construct, id: string, { config }: { readonly config: BucketConfig }) {
    super(scope, id);
    this.#config = config;
    this.bucketName = this.#makeBucket().bucketName;
  }

  #makeBucket(): Bucket {
    const bucket = new Bucket(this, 'Bucket', {
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      encryption: BucketEncryption.S3_MANAGED,
      enforceSSL: true,
      versioned: true,
      removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
      cors: [
        {
          allowedMethods: [HttpMethods.PUT],
          allowedOrigins: this.#consoleOrigins(),
          allowedHeaders: ['content-type', 'if-none-match', 'x-amz-checksum-sha256'],
          maxAge: 3_600,
        },
      ],
      lifecycleRules: [
        {
          prefix: 'uploads/',
          expiration: QUARANTINE,
          noncurrentVersionExpiration: FORGOTTEN_UPLOAD,
          abortIncompleteMultipartUploadAfter: Duration.days(1),
        },
        {
          prefix: 'artifacts/',
          noncurrentVersionExpiration: Duration.days(this.#config.recoveryDays),
          expiredObjectDeleteMarker: true,
        },
      ],
    });
    const resource = bucket.node.defaultChild as CfnBucket;
    resource.overrideLogicalId(BUCKET_ID);
    // The property of the construct would add a function that changes the bucket.
    resource.notificationConfiguration = {
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
}

/** Has GuardDuty scan uploads. Its role has what AWS documents as required, except tags, which are off. */
export function scanUploads(
  scope: Construct,
  bucketName: string,
  config: Pick<Config, 'stage' | 'encryptionKey'>,
): void {
  const stack = Stack.of(scope);
  const rules = stack.formatArn({ service: 'events', resource: 'rule', resourceName: MANAGED_RULES });
  const plans = stack.formatArn({
    service: 'guardduty',
    resource: 'malware-protection-plan',
    resourceName: '*',
  });
  const allow = (actions: readonly string[], resource: string, conditions = {}) =>
    new PolicyStatement({ actions: [...actions], resources: [resource], conditions });
  const uploads = objectsArn(scope, bucketName, 'uploads/*');
  const role = new Role(scope, 'ScanRole', {
    assumedBy: serviceFor(SCANNER, plans),
    inlinePolicies: {
      Allowed: new PolicyDocument({
        statements: [
          allow(['events:PutRule', 'events:DeleteRule', 'events:PutTargets', 'events:RemoveTargets'], rules, {
            StringEquals: { 'events:ManagedBy': SCANNER },
          }),
          allow(['events:DescribeRule', 'events:ListTargetsByRule'], rules),
          allow(
            ['s3:PutBucketNotification', 's3:GetBucketNotification', 's3:ListBucket'],
            objectsArn(scope, bucketName),
          ),
          allow(['s3:PutObject'], objectsArn(scope, bucketName, VALIDATION_OBJECT)),
          allow(['s3:GetObject', 's3:GetObjectVersion'], uploads),
          // It reads encrypted objects with their key (the same page).
          ...sealedAccess(config),
        ],
      }),
    },
  });
  const [partition, region] = [reportedPartition(scope), reportedRegion(scope)];
  for (const resource of [
    `arn:${partition}:events:${region}:<AWS::AccountId>:rule/${MANAGED_RULES}`,
    reportedObjects(scope, config.stage, 'uploads'),
  ])
    Validations.of(role).acknowledge({
      id: `AwsSolutions-IAM5[Resource::${resource}]`,
      reason: 'AWS names the rules, and the functions name the uploads, at run time.',
    });
  const plan = new CfnMalwareProtectionPlan(scope, 'ScanPlan', {
    role: role.roleArn,
    protectedResource: { s3Bucket: { bucketName, objectPrefixes: ['uploads/'] } },
    actions: { tagging: { status: 'DISABLED' } },
  });
  // GuardDuty checks the role when the plan is created.
  plan.node.addDependency(role);
}

/** Returns the ARN of the bucket, or of objects in it. The name is the one value that its stack exports. */
export const objectsArn = (scope: IConstruct, bucketName: string, key?: string): string =>
  Stack.of(scope).formatArn({
    service: 's3',
    region: '',
    account: '',
    resource: key === undefined ? bucketName : `${bucketName}/${key}`,
    arnFormat: ArnFormat.NO_RESOURCE_NAME,
  });

/** Returns the ARN of the objects under a prefix as cdk-nag reports it: with the export of the data stack that it imports. */
export const reportedObjects = (
  scope: IConstruct,
  stage: string,
  prefix: 'uploads' | 'artifacts',
): string => {
  const bucket = `Inference-${stage}-data:ExportsOutputRef${BUCKET_ID}575193E7`;
  return `arn:${reportedPartition(scope)}:s3:::${bucket}/${prefix}/*`;
};
