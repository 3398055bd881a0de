/**
 * The rights of CloudFormation for the stacks of a stage, for `cdk bootstrap --cloudformation-execution-policies`: a
 * row for each resource type of the templates, scoped to the names of the stage. Where CloudFormation or AWS chooses the
 * id, the resource is the whole type in the region. Source of the ARNs: service authorization reference.
 */
import { boundaryName, busName, rolePath } from '../../lib/config/stage-names.ts';
import { allow, Names, type PolicyScope, type PolicyStatementText } from './scope.ts';

/** The actions of a service on the resources that these types have. `*` is every resource: the actions take none. */
interface ExecutionRow {
  readonly types: readonly string[];
  readonly actions: readonly string[];
  readonly resources: (names: Names, scope: PolicyScope) => readonly string[];
  readonly condition?: (names: Names, scope: PolicyScope) => PolicyStatementText['Condition'];
}

const EVERY = (): readonly string[] => ['*'];

/**
 * The characters that CloudFormation leaves of a stack's name in a name of 64: it cuts the stack's and the resource's part to
 * make room for its own end (awslabs/aws-waf-security-automations, issue 143: a policy on the whole name did not work).
 */
const CUT_NAME = 24;

/** Names of CloudFormation start with that of the stack, which it may cut, or with its letters alone. */
const cutName = (stage: string): string => `${`Inference-${stage}-`.slice(0, CUT_NAME)}*`;

const stackNames = (stage: string): readonly string[] => [
  cutName(stage),
  `Inference${stage.replaceAll('-', '')}*`,
];

/** Buckets have names of CloudFormation in small letters. */
export const bucketPrefix = (stage: string): string => cutName(stage).toLowerCase();

const row = (
  types: readonly string[],
  actions: readonly string[],
  resources: ExecutionRow['resources'],
  condition?: ExecutionRow['condition'],
): ExecutionRow => ({ types, actions, resources, ...(condition === undefined ? {} : { condition }) });

/** The roles of the stage, by their path. */
const stageRoles: ExecutionRow['resources'] = (names, { stage }) => [
  names.role(`${rolePath(stage).slice(1)}*`),
];

/** The types of resources that have policies of their own. */
export const POLICY_TYPES: readonly string[] = ['AWS::IAM::Role', 'AWS::IAM::Policy'];

export const EXECUTION_ROWS: readonly ExecutionRow[] = [
  row(['AWS::DynamoDB::GlobalTable'], ['dynamodb:*'], (names) => [
    ...names.tables,
    names.tables.map((arn) => `${arn}/stream/*`)[0] ?? '',
  ]),
  row(['AWS::DynamoDB::GlobalTable'], ['dynamodb:ListTables', 'application-autoscaling:Describe*'], EVERY),
  row(['AWS::SecretsManager::Secret'], ['secretsmanager:*'], (names) => [
    ...names.secrets,
    names.arn('secretsmanager', 'secret:*EdgeSecret*'),
  ]),
  row(['AWS::SecretsManager::Secret'], ['secretsmanager:GetRandomPassword'], EVERY),
  // A role without the boundary, or with another one, gets no rights, and none loses it.
  row(
    POLICY_TYPES,
    ['iam:AttachRolePolicy', 'iam:CreateRole', 'iam:PutRolePermissionsBoundary', 'iam:PutRolePolicy'],
    stageRoles,
    (names, { stage }) => ({
      StringEquals: {
        'iam:PermissionsBoundary': [names.arn('iam', `policy/${boundaryName(stage)}`, 'global')],
      },
    }),
  ),
  row(
    POLICY_TYPES,
    [
      'iam:DeleteRole',
      'iam:DeleteRolePolicy',
      'iam:DetachRolePolicy',
      'iam:GetRole*',
      'iam:ListRole*',
      'iam:ListAttachedRolePolicies',
      'iam:PassRole',
      'iam:TagRole',
      'iam:UntagRole',
      'iam:UpdateAssumeRolePolicy',
      'iam:UpdateRole*',
    ],
    stageRoles,
  ),
  row(['AWS::ECS::Service', 'AWS::CloudFront::VpcOrigin'], ['iam:CreateServiceLinkedRole'], (names) => [
    names.role('aws-service-role/*'),
  ]),
  row(
    [
      'AWS::Lambda::EventInvokeConfig',
      'AWS::Lambda::Function',
      'AWS::Lambda::Permission',
      'AWS::Lambda::WebFunction',
      'AWS::Lambda::WebFunctionEndpoint',
      'AWS::Lambda::WebFunctionRevision',
    ],
    ['lambda:*'],
    (names, { stage }) => [
      ...names.functions,
      ...stackNames(stage).map((name) => names.arn('lambda', `function:${name}`)),
    ],
  ),
  row(
    ['AWS::Lambda::EventSourceMapping'],
    [
      'lambda:CreateEventSourceMapping',
      'lambda:GetEventSourceMapping',
      'lambda:UpdateEventSourceMapping',
      'lambda:DeleteEventSourceMapping',
      'lambda:TagResource',
      'lambda:ListTags',
    ],
    EVERY,
  ),
  row(
    [
      'AWS::ApiGateway::Account',
      'AWS::ApiGateway::BasePathMapping',
      'AWS::ApiGateway::Deployment',
      'AWS::ApiGateway::DomainName',
      'AWS::ApiGateway::GatewayResponse',
      'AWS::ApiGateway::Method',
      'AWS::ApiGateway::Resource',
      'AWS::ApiGateway::RestApi',
      'AWS::ApiGateway::Stage',
    ],
    ['apigateway:*'],
    (_, { partition, region }) => [`arn:${partition}:apigateway:${region}::/*`],
  ),
  row(['AWS::Logs::LogGroup'], ['logs:*'], (names, { stage }) =>
    [...stackNames(stage), `aws-waf-logs-${stage}-*`].map((name) => names.arn('logs', `log-group:${name}`)),
  ),
  row(
    ['AWS::Logs::QueryDefinition', 'AWS::WAFv2::LoggingConfiguration', 'AWS::StepFunctions::StateMachine'],
    ['logs:DescribeLogGroups', 'logs:*QueryDefinition*', 'logs:*LogDelivery*', 'logs:*ResourcePolic*'],
    EVERY,
  ),
  row(['AWS::SQS::Queue', 'AWS::SQS::QueuePolicy'], ['sqs:*'], (names) => names.queues),
  row(
    ['AWS::SNS::Topic', 'AWS::SNS::TopicPolicy', 'AWS::SNS::Subscription'],
    ['sns:*'],
    (names, { stage }) => [names.arn('sns', `Inference-${stage}-*`), names.arn('sns', `${stage}-*`)],
  ),
  row(['AWS::Events::Rule', 'AWS::Events::EventBus'], ['events:*'], (names, { stage }) => [
    names.arn('events', `rule/${stage}-*`),
    names.arn('events', `rule/${busName(stage)}`),
    names.arn('events', `rule/${busName(stage)}/*`),
    names.arn('events', `rule/Inference-${stage}-*`),
    names.arn('events', `event-bus/${busName(stage)}`),
  ]),
  row(['AWS::Scheduler::ScheduleGroup'], ['scheduler:*'], (names, { stage }) => [
    names.arn('scheduler', `schedule-group/${stage}-*`),
    names.arn('scheduler', `schedule/${stage}-*/*`),
  ]),
  row(['AWS::StepFunctions::StateMachine'], ['states:*'], (names, { stage }) => [
    names.arn('states', `stateMachine:${stage}-*`),
  ]),
  row(
    ['AWS::CloudWatch::Alarm', 'AWS::CloudWatch::CompositeAlarm', 'AWS::CloudWatch::Dashboard'],
    ['cloudwatch:*'],
    (names, { stage }) => [
      names.arn('cloudwatch', `alarm:${stage}/*`),
      names.arn('cloudwatch', `dashboard/${stage}-*`, 'global'),
    ],
  ),
  row(['AWS::CloudWatch::CompositeAlarm'], ['cloudwatch:Describe*', 'cloudwatch:PutCompositeAlarm'], EVERY),
  row(
    ['AWS::WAFv2::WebACL', 'AWS::WAFv2::WebACLAssociation', 'AWS::WAFv2::LoggingConfiguration'],
    ['wafv2:*'],
    (names) => [
      names.arn('wafv2', 'regional/*'),
      names.arn('wafv2', 'global/*'),
      names.arn('apigateway', '/restapis/*').replace(/:\d{12}:/, '::'),
      names.arn('elasticloadbalancing', 'loadbalancer/app/*'),
    ],
  ),
  row(['AWS::CloudFormation::Stack'], ['cloudformation:*'], (names) => [names.nestedStack]),
  row(
    ['AWS::Backup::BackupPlan', 'AWS::Backup::BackupSelection', 'AWS::Backup::BackupVault', 'AWS::KMS::Key'],
    ['backup:*', 'backup-storage:Mount*', 'kms:*'],
    EVERY,
  ),
  row(
    ['AWS::Budgets::Budget', 'AWS::CE::AnomalyMonitor', 'AWS::CE::AnomalySubscription'],
    ['budgets:*', 'ce:*Anomaly*', 'ce:*Tag*'],
    EVERY,
  ),
  row(
    ['AWS::CloudFront::Distribution', 'AWS::CloudFront::Function', 'AWS::CloudFront::VpcOrigin'],
    ['cloudfront:*'],
    EVERY,
  ),
  row(
    [
      'AWS::EC2::InternetGateway',
      'AWS::EC2::Route',
      'AWS::EC2::RouteTable',
      'AWS::EC2::SecurityGroup',
      'AWS::EC2::SecurityGroupEgress',
      'AWS::EC2::SecurityGroupIngress',
      'AWS::EC2::Subnet',
      'AWS::EC2::SubnetRouteTableAssociation',
      'AWS::EC2::VPC',
      'AWS::EC2::VPCGatewayAttachment',
    ],
    [
      'ec2:*Vpc*',
      'ec2:*Subnet*',
      'ec2:*Route*',
      'ec2:*SecurityGroup*',
      'ec2:*InternetGateway*',
      'ec2:*Tags',
      'ec2:Describe*',
    ],
    EVERY,
  ),
  row(['AWS::ECS::Cluster', 'AWS::ECS::Service', 'AWS::ECS::TaskDefinition'], ['ecs:*'], EVERY),
  row(
    [
      'AWS::ElasticLoadBalancingV2::Listener',
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
      'AWS::ElasticLoadBalancingV2::TargetGroup',
    ],
    ['elasticloadbalancing:*'],
    EVERY,
  ),
  row(
    ['AWS::ApplicationAutoScaling::ScalableTarget', 'AWS::ApplicationAutoScaling::ScalingPolicy'],
    ['application-autoscaling:*'],
    EVERY,
  ),
  row(['AWS::S3::Bucket', 'AWS::S3::BucketPolicy'], ['s3:*'], (names, { stage }) => [
    names.arn('s3', bucketPrefix(stage), 'public'),
  ]),
  row(
    ['AWS::GuardDuty::MalwareProtectionPlan'],
    ['guardduty:*MalwareProtectionPlan*', 'guardduty:TagResource', 'guardduty:UntagResource'],
    EVERY,
  ),
  // The code of functions, the templates of nested stacks, and the version of the bootstrap.
  row(
    ['AWS::Lambda::Function', 'AWS::CloudFormation::Stack'],
    ['s3:GetObject'],
    (names, { accountId, region }) => [
      names.arn('s3', `cdk-hnb659fds-assets-${accountId}-${region}/*`, 'public'),
    ],
  ),
  row(['AWS::CloudFormation::Stack'], ['ssm:GetParameters'], (names) => [
    names.arn('ssm', 'parameter/cdk-bootstrap/hnb659fds/version'),
  ]),
];

/** Returns a statement for each set of resources and conditions: the size of a policy is limited. */
export function executionStatements(scope: PolicyScope): readonly PolicyStatementText[] {
  const names = new Names(scope);
  const statements = Map.groupBy(EXECUTION_ROWS, ({ resources, condition }) =>
    JSON.stringify([resources(names, scope), condition?.(names, scope)]),
  );
  return [...statements.values()].map((rows, at) => {
    const [{ resources, condition }] = rows as [ExecutionRow];
    const actions = [...new Set(rows.flatMap((each) => each.actions))].sort();
    return allow(`${at}`, actions, resources(names, scope), condition?.(names, scope));
  });
}
