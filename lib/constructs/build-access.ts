/** The permissions on builds, which are objects of one bucket under two prefixes. */
import { Validations } from 'aws-cdk-lib';
import { PolicyStatement, type Role } from 'aws-cdk-lib/aws-iam';
import { VARIABLES } from '../../lambdas/platform/contract/environment.ts';
import type { BuildAction } from '../../lambdas/platform/contract/grants.ts';
import type { Config } from '../config/config.ts';
import { objectsArn, reportedObjects } from './builds-bucket.ts';

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
  bucketName: string,
): Record<string, string> {
  for (const action of actions) {
    if (action === 'RequestScan') allowScans(role);
    else allowObjects(role, action, stage, bucketName);
  }
  return { [VARIABLES.buildsBucket]: bucketName };
}

function allowObjects(role: Role, name: ObjectAction, stage: string, bucketName: string): void {
  const [action, prefix] = OBJECTS[name];
  role.addToPolicy(
    new PolicyStatement({ actions: [action], resources: [objectsArn(role, bucketName, `${prefix}/*`)] }),
  );
  Validations.of(role).acknowledge({
    id: `AwsSolutions-IAM5[Resource::${reportedObjects(role, stage, prefix)}]`,
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
