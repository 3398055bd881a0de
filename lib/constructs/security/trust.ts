/**
 * Roles for services are bound to their purpose. Otherwise a principal of another account could make the service use
 * them (IAM user guide, the confused deputy problem). Lambda is left out: its call of STS does not name the function.
 */
import { ArnFormat, Aws, Stack } from 'aws-cdk-lib';
import { CfnRole, type IRole, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import type { Construct } from 'constructs';

/** Returns the conditions on a call for which a service assumes a role. */
const actingFor = (sourceArn: string) => ({
  StringEquals: { 'aws:SourceAccount': Aws.ACCOUNT_ID },
  ArnLike: { 'aws:SourceArn': sourceArn },
});

/** Returns the principal of a service that names the resource it acts for; the ARN may have wildcards. */
export const serviceFor = (service: string, sourceArn: string): ServicePrincipal =>
  new ServicePrincipal(service, { conditions: actingFor(sourceArn) });

/** The tasks of this account and region (Amazon ECS developer guide, task IAM role); they have no ARN before they run. */
export const tasksOf = (scope: Construct): string =>
  Stack.of(scope).formatArn({ service: 'ecs', resource: '*', arnFormat: ArnFormat.NO_RESOURCE_NAME });

export const stateMachineArn = (scope: Construct, name: string): string =>
  Stack.of(scope).formatArn({
    service: 'states',
    resource: 'stateMachine',
    resourceName: name,
    arnFormat: ArnFormat.COLON_RESOURCE_NAME,
  });

export const ruleArn = (scope: Construct, name: string): string =>
  Stack.of(scope).formatArn({ service: 'events', resource: 'rule', resourceName: name });

/** Binds a role that the CDK created for one service. Throws if it is no such role. */
export function confine(role: IRole | undefined, sourceArn: string): void {
  const resource = role?.node.defaultChild;
  if (!(resource instanceof CfnRole)) throw new Error(`${role?.node.path} is no role of the CDK's making`);
  resource.addPropertyOverride('AssumeRolePolicyDocument.Statement.0.Condition', actingFor(sourceArn));
}
