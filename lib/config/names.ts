/** Names that two stacks share, so that neither has to import them from the other. */
import { Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';

/** Returns the name of the cluster and of the service that take uploads on Fargate. */
export const uploadServiceName = (stage: string): string => `${stage}-uploads`;

/** Returns the name of the cluster and of the service that serve the inference API on Fargate. */
export const hostServiceName = (stage: string): string => `${stage}-inference`;

/** Returns the origin of presigned requests to the bucket of builds (S3 user guide, "Virtual hosting of buckets"). */
export const buildsOrigin = (scope: IConstruct, bucketName: string): string =>
  `https://${bucketName}.s3.${Stack.of(scope).region}.${Stack.of(scope).urlSuffix}`;
