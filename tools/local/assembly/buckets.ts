/** Describes the buckets of an assembly, and the plans by which their objects are scanned for malware. */
import type { PolicyStatement } from './roles.ts';
import type { Stacks } from './stacks.ts';

export interface BucketDescription {
  readonly name: string;
  readonly arn: string;
  /** The statements of its own policy, which apply to every caller. */
  readonly statements: readonly PolicyStatement[];
  /** True if it notifies EventBridge of its objects. */
  readonly notifies: boolean;
  readonly cors: readonly CorsRule[];
  /** The key of AWS KMS that seals its objects; absent for the keys of S3. */
  readonly keyArn?: string | undefined;
}

export interface CorsRule {
  readonly AllowedMethods: readonly string[];
  readonly AllowedOrigins: readonly string[];
  readonly AllowedHeaders?: readonly string[];
}

export interface ScanPlan {
  readonly arn: string;
  readonly roleArn: string;
  readonly bucketName: string;
  readonly prefixes: readonly string[];
}

interface BucketProperties {
  readonly BucketEncryption?: {
    readonly ServerSideEncryptionConfiguration: readonly {
      readonly ServerSideEncryptionByDefault?: { readonly KMSMasterKeyID?: string };
    }[];
  };
  readonly CorsConfiguration?: { readonly CorsRules: readonly CorsRule[] };
  readonly NotificationConfiguration?: {
    readonly EventBridgeConfiguration?: { readonly EventBridgeEnabled?: boolean };
  };
}

interface BucketPolicyProperties {
  readonly Bucket: string;
  readonly PolicyDocument: { readonly Statement: readonly PolicyStatement[] };
}

interface PlanProperties {
  readonly Role: string;
  readonly ProtectedResource: {
    readonly S3Bucket: { readonly BucketName: string; readonly ObjectPrefixes?: readonly string[] };
  };
}

export function describeBuckets(stacks: Stacks): readonly BucketDescription[] {
  const policies = stacks
    .resources('AWS::S3::BucketPolicy')
    .map((policy) => policy.properties<BucketPolicyProperties>());
  return stacks.resources('AWS::S3::Bucket').map(({ identity, arn, properties }) => ({
    name: identity.ref,
    arn,
    statements: policies
      .filter(({ Bucket }) => Bucket === identity.ref)
      .flatMap(({ PolicyDocument }) => PolicyDocument.Statement),
    notifies:
      properties<BucketProperties>().NotificationConfiguration?.EventBridgeConfiguration
        ?.EventBridgeEnabled === true,
    cors: properties<BucketProperties>().CorsConfiguration?.CorsRules ?? [],
    keyArn:
      properties<BucketProperties>().BucketEncryption?.ServerSideEncryptionConfiguration[0]
        ?.ServerSideEncryptionByDefault?.KMSMasterKeyID,
  }));
}

export const describeScanPlans = (stacks: Stacks): readonly ScanPlan[] =>
  stacks.resources('AWS::GuardDuty::MalwareProtectionPlan').map(({ arn, properties }) => {
    const { Role: roleArn, ProtectedResource: protectedResource } = properties<PlanProperties>();
    const { BucketName: bucketName, ObjectPrefixes: prefixes = [''] } = protectedResource.S3Bucket;
    return { arn, roleArn, bucketName, prefixes };
  });
