/** The permissions on builds, which are objects of one bucket under two prefixes. */
import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import type { BuildAction } from '../../lambdas/platform/contract/grants.ts';
import type { Config } from '../config/config.ts';
import { buildsBucketName } from '../config/names.ts';
import { buildObjectsArn } from './builds-bucket.ts';
import { reportedPartition, reportedRegion } from './reported-names.ts';

type ObjectAction = Exclude<BuildAction, 'RequestScan'>;

const OBJECTS: Readonly<Record<ObjectAction, readonly [action: string, prefix: 'uploads' | 'artifacts']>> = {
  PutUpload: ['s3:PutObject', 'uploads'],
  GetUpload: ['s3:GetObject', 'uploads'],
  PutArtifact: ['s3:PutObject', 'artifacts'],
  GetArtifact: ['s3:GetObject', 'artifacts'],
  DeleteArtifact: ['s3:DeleteObject', 'artifacts'],
};

/** Allows the actions, and returns the variable with the name of the bucket. */
export function allowBuilds(
  role: Role,
  actions: readonly BuildAction[],
  { stage }: Config,
): Record<string, string> {
  for (const action of actions) {
    if (action === 'RequestScan') allowScans(role);
    else allowObjects(role, action, stage);
  }
  return { [VARIABLES.buildsBucket]: buildsBucketName(role, stage) };
}

function allowObjects(role: Role, name: ObjectAction, stage: string): void {
  const [action, prefix] = OBJECTS[name];
  role.addToPolicy(
    new PolicyStatement({ actions: [action], resources: [buildObjectsArn(role, stage, prefix)] }),
  );
  const bucket = `${stage}-builds-<AWS::AccountId>-${reportedRegion(role)}`;
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::arn:${reportedPartition(role)}:s3:::${bucket}/${prefix}/*]`,
    reason: 'Each object is named after its build; the prefix confines them.',
  });
}

function allowScans(role: Role): void {
  role.addToPolicy(new PolicyStatement({ actions: ['guardduty:SendObjectMalwareScan'], resources: ['*'] }));
  Validations.of(role).acknowledge({
    id: 'AwsSolutions-IAM5[Resource::*]',
    reason:
      'The action takes no resource (service authorization reference, GuardDuty, SendObjectMalwareScan).',
  });
}
