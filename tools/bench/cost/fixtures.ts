/** The resources of a deployment with a monthly cost, counted in its own templates. */
import type { Fixtures } from './model.ts';

export interface CostTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

interface Alarm {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

interface TaskDefinition {
  /** 1,024 are a vCPU; the memory is in MB. */
  readonly Cpu?: string;
  readonly Memory?: string;
}

interface ScheduledRule {
  readonly ScheduleExpression?: string;
}

interface WebAcl {
  readonly Rules?: readonly unknown[];
}

/** The types of resources that are billed by the month, with or without calls. */
const BY_THE_MONTH = [
  'AWS::ApplicationAutoScaling::ScalableTarget',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::ECS::Cluster',
  'AWS::ECS::TaskDefinition',
  'AWS::Events::Rule',
  'AWS::ElasticLoadBalancingV2::LoadBalancer',
  'AWS::KMS::Key',
  'AWS::Lambda::EventSourceMapping',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::WebACL',
] as const;

/**
 * The types of resources that cost nothing without calls: billed by use, or not at all (the price pages of the services;
 * budgets without actions and the search for unusual costs are free).
 */
const NOT_BY_THE_MONTH = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  // What a plan copies and stores is billed by the GB.
  'AWS::Backup::BackupPlan',
  'AWS::Backup::BackupSelection',
  'AWS::Backup::BackupVault',
  'AWS::Budgets::Budget',
  // Settings of the stack that CDK adds; they create no resource.
  'AWS::CDK::Metadata',
  'AWS::CE::AnomalyMonitor',
  'AWS::CE::AnomalySubscription',
  'AWS::CloudFront::Distribution',
  'AWS::CloudFront::Function',
  'AWS::CloudFront::VpcOrigin',
  'AWS::DynamoDB::GlobalTable',
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
  'AWS::ECS::Service',
  'AWS::ElasticLoadBalancingV2::Listener',
  'AWS::ElasticLoadBalancingV2::TargetGroup',
  'AWS::Events::EventBus',
  // What it scans is paid for by the file.
  'AWS::GuardDuty::MalwareProtectionPlan',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Lambda::WebFunction',
  'AWS::Lambda::WebFunctionEndpoint',
  'AWS::Lambda::WebFunctionRevision',
  'AWS::Logs::LogGroup',
  // What a query reads is paid for when somebody runs it.
  'AWS::Logs::QueryDefinition',
  'AWS::S3::Bucket',
  'AWS::S3::BucketPolicy',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::StepFunctions::StateMachine',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
  // Functions that CDK runs while it deploys.
  'Custom::CrossRegionExportReader',
  'Custom::CrossRegionExportWriter',
  'Custom::S3AutoDeleteObjects',
  'Custom::S3ObjectCopy',
];

const KNOWN: ReadonlySet<string> = new Set([...BY_THE_MONTH, ...NOT_BY_THE_MONTH]);

/** Counts what the stacks have that is billed by the month; throws at a type whose price nobody has looked up. */
export function fixturesOf(templates: readonly CostTemplate[]): Fixtures {
  const resources = templates.flatMap((template) => Object.values(template.Resources));
  const unknown = new Set(resources.map(({ Type }) => Type).filter((type) => !KNOWN.has(type)));
  if (unknown.size > 0)
    throw new Error(
      `no price is known of ${[...unknown].join(', ')}: add it to tools/bench/cost/fixtures.ts`,
    );
  const ofType = (type: (typeof BY_THE_MONTH)[number]) =>
    resources.filter((resource) => resource.Type === type).map(({ Properties }) => Properties);
  const targets = ofType('AWS::ApplicationAutoScaling::ScalableTarget');
  const tasks = targets.reduce((sum, target) => sum + Number(Object(target).MinCapacity), 0);
  const [task = {}]: readonly TaskDefinition[] = ofType('AWS::ECS::TaskDefinition').map((each) =>
    Object(each),
  );
  const rulesIn = ({ Rules: rules = [] }: WebAcl = {}) => rules.length;
  return {
    alarms: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsIn(alarm), 0),
    compositeAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    dashboards: ofType('AWS::CloudWatch::Dashboard').filter((each) => metricsOn(each) > FREE_METRICS).length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    webAcls: ofType('AWS::WAFv2::WebACL').length,
    keys: ofType('AWS::KMS::Key').length,
    // A mapping of a stream starts at a position, and reading a stream for a function is free (DynamoDB pricing).
    queueMappings: ofType('AWS::Lambda::EventSourceMapping').filter(
      (each) => !('StartingPosition' in Object(each)),
    ).length,
    scheduledRuns: ofType('AWS::Events::Rule').reduce((sum, rule) => sum + runsOf(rule), 0),
    tasks,
    taskVcpu: Number(task.Cpu ?? 0) / 1024,
    taskGb: Number(task.Memory ?? 0) / 1024,
    balancers: ofType('AWS::ElasticLoadBalancingV2::LoadBalancer').length,
    insightClusters: ofType('AWS::ECS::Cluster').filter((each) =>
      /"enabled"|"enhanced"/.test(JSON.stringify(each)),
    ).length,
    webAclRules: ofType('AWS::WAFv2::WebACL').reduce((sum, acl) => sum + rulesIn(acl), 0),
  };
}

const MONTH_MINUTES = 30 * 24 * 60;
const MINUTES = { minute: 1, hour: 60, day: 24 * 60 } as const;

/** Runs of a rule a month; none if events start it. A cron expression runs once a day here. */
function runsOf({ ScheduleExpression: expression = '' }: ScheduledRule = {}): number {
  if (expression.startsWith('cron')) return MONTH_MINUTES / MINUTES.day;
  const [, count, unit] = /^rate\((\d+) (minute|hour|day)s?\)$/.exec(expression) ?? [];
  return unit === undefined ? 0 : MONTH_MINUTES / (Number(count) * MINUTES[unit as keyof typeof MINUTES]);
}

/** An alarm is billed by the metrics that it reads. */
const metricsIn = ({ Metrics: metrics = [] }: Alarm = {}): number =>
  Math.max(1, metrics.filter(({ MetricStat: stat }) => stat !== undefined).length);

/** Three dashboards are free with as many metrics on each (CloudWatch pricing, free tier). */
const FREE_METRICS = 50;

/** Lines of graphs: each is an array, or an expression within one. */
const metricsOn = (dashboard: object | undefined): number =>
  JSON.stringify(dashboard).match(/\[\[|\],\[/g)?.length ?? 0;
