/** The resources of a deployment with a monthly cost, counted in its own templates. */
import type { Fixtures } from './model.ts';

export interface CostTemplate {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: object }>>;
}

interface Alarm {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

interface WebAcl {
  readonly Rules?: readonly unknown[];
}

/** The types of resources that are billed by the month, with or without calls. */
const BY_THE_MONTH = [
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::SecretsManager::Secret',
  'AWS::WAFv2::WebACL',
] as const;

/**
 * The types of resources that are billed by use, so that they cost nothing without calls (the price pages of the
 * services).
 */
const BY_USE: readonly string[] = [
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  // What a query reads is paid for when somebody runs it.
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::StepFunctions::StateMachine',
];

/** The types of resources that AWS does not bill. */
const FREE: readonly string[] = [
  // Budgets without actions, and the search for unusual costs (price pages of AWS Budgets and of Cost Management).
  'AWS::Budgets::Budget',
  'AWS::CE::AnomalyMonitor',
  'AWS::CE::AnomalySubscription',
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Resource',
  // Settings of the stack that CDK adds; they lead to no resource of their own.
  'AWS::CDK::Metadata',
  // Deployments to Lambda cost nothing (price page of CodeDeploy).
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Permission',
  'AWS::SNS::TopicPolicy',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::WAFv2::LoggingConfiguration',
  'AWS::WAFv2::WebACLAssociation',
];

const KNOWN: ReadonlySet<string> = new Set([...BY_THE_MONTH, ...BY_USE, ...FREE]);

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
  const rulesIn = ({ Rules: rules = [] }: WebAcl = {}) => rules.length;
  return {
    alarms: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsIn(alarm), 0),
    compositeAlarms: ofType('AWS::CloudWatch::CompositeAlarm').length,
    dashboards: ofType('AWS::CloudWatch::Dashboard').filter((each) => metricsOn(each) > FREE_METRICS).length,
    secrets: ofType('AWS::SecretsManager::Secret').length,
    webAcls: ofType('AWS::WAFv2::WebACL').length,
    webAclRules: ofType('AWS::WAFv2::WebACL').reduce((sum, acl) => sum + rulesIn(acl), 0),
  };
}

/** An alarm is billed by the metrics that it reads. */
const metricsIn = ({ Metrics: metrics = [] }: Alarm = {}): number =>
  Math.max(1, metrics.filter(({ MetricStat: stat }) => stat !== undefined).length);

/** Three dashboards are free with as many metrics on each (CloudWatch pricing, free tier). */
const FREE_METRICS = 50;

/** Lines of graphs: each is an array, or an expression within one. */
const metricsOn = (dashboard: object | undefined): number =>
  JSON.stringify(dashboard).match(/\[\[|\],\[/g)?.length ?? 0;
