/** The limits of all roles, also of those that the CDK creates for resources of its own. */
import { Aspects, CfnResource, Stack } from 'aws-cdk-lib';
import type { IConstruct } from 'constructs';
import type { Config } from '../../config/config.ts';
import { boundaryName, rolePath } from '../../config/stage-names.ts';

/** Gives every role the path of the stage and, unless CloudFormation is an administrator, its permissions boundary. */
export function limitRoles(app: IConstruct, { stage, bootstrap }: Config): void {
  const visit = (node: IConstruct): void => {
    if (!CfnResource.isCfnResource(node) || node.cfnResourceType !== 'AWS::IAM::Role') return;
    node.addPropertyOverride('Path', rolePath(stage));
    if (bootstrap === 'administrator') return;
    const resourceName = boundaryName(stage);
    node.addPropertyOverride(
      'PermissionsBoundary',
      Stack.of(node).formatArn({ service: 'iam', region: '', resource: 'policy', resourceName }),
    );
  };
  Aspects.of(app).add({ visit });
  // A reference between regions adds roles after the aspects, and nested templates are read before validation.
  const validate = (): string[] => {
    for (const node of app.node.findAll()) visit(node);
    return [];
  };
  app.node.addValidation({ validate });
}
