/** The role, the environment and the log group of a program, on any compute. */
import { RemovalPolicy } from 'aws-cdk-lib';
import {
  type AddToPrincipalPolicyResult,
  type IPrincipal,
  PolicyDocument,
  PolicyStatement,
  Role,
  ServicePrincipal,
} from 'aws-cdk-lib/aws-iam';
import { LogGroup } from 'aws-cdk-lib/aws-logs';
import type { Construct } from 'constructs';
import { METRIC_NAMESPACE, METRIC_NAMESPACE_VARIABLE } from '../../lambdas/platform/contract/metrics.ts';
import { grantTo, type RoleGrantsOptions } from './role-grants.ts';
import { allowSealed } from './security/customer-key.ts';
import { serviceFor, tasksOf } from './security/trust.ts';

export interface Hosting {
  readonly role: Role;
  readonly environment: Readonly<Record<string, string>>;
  readonly logGroup: LogGroup;
}

export interface HostingOptions extends RoleGrantsOptions {
  /** The service of AWS that takes on the role. */
  readonly service: 'lambda.amazonaws.com' | 'ecs-tasks.amazonaws.com';
}

/** Creates a dedicated role with only the grants, a dedicated log group, and the variables. */
export function createHosting(scope: Construct, { service, ...options }: HostingOptions): Hosting {
  const { name, config } = options;
  const logGroup = new LogGroup(scope, 'Logs', {
    retention: config.logRetentionDays,
    removalPolicy: RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE,
  });
  const role = new ProgramRole(
    scope,
    'Role',
    service === 'lambda.amazonaws.com' ? new ServicePrincipal(service) : serviceFor(service, tasksOf(scope)),
  );
  role.addToPolicy(
    new PolicyStatement({
      actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
      resources: [logGroup.logGroupArn],
    }),
  );
  allowSealed(config, role);
  const environment = {
    POWERTOOLS_SERVICE_NAME: name,
    [METRIC_NAMESPACE_VARIABLE]: `${METRIC_NAMESPACE}/${config.stage}`,
    ...grantTo(role, options),
  };
  return { role, environment, logGroup };
}

/** A role that contains its permissions inline, so that it takes one of the 500 resources of a stack. */
class ProgramRole extends Role {
  readonly #allowed: PolicyDocument;

  /** Whatever is granted to it later is in its one inline policy. */
  constructor(scope: Construct, id: string, assumedBy: IPrincipal) {
    const allowed = new PolicyDocument();
    super(scope, id, { assumedBy, inlinePolicies: { Allowed: allowed } });
    this.#allowed = allowed;
  }

  override addToPrincipalPolicy(statement: PolicyStatement): AddToPrincipalPolicyResult {
    this.#allowed.addStatements(statement);
    return { statementAdded: true, policyDependable: this };
  }
}
