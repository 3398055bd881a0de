/** The whole of an assembly as the local runtime runs it. */

import { describeRestApis, type RestApi } from './api/rest-apis.ts';
import { readCloudAssembly } from './cloud-assembly.ts';
import {
  describeBuses,
  describeEventRules,
  type EventBusDescription,
  type EventRule,
} from './event-rules.ts';
import { describeFunctions, type FunctionDescription } from './functions.ts';
import {
  describeMappings,
  describeQueues,
  type MappingDescription,
  type QueueDescription,
} from './queues.ts';
import { describeRoles, type RoleDescription, rolesOfService } from './roles.ts';
import { describeSchedules, type ScheduleDescription } from './schedules.ts';
import { describeSecrets, type SecretDescription } from './secrets.ts';
import { Stacks } from './stacks.ts';
import { describeStreamMappings, type StreamMappingDescription } from './stream-mappings.ts';
import { describeTables, type TableDescription } from './tables.ts';
import { describeWorkflows, type WorkflowDescription } from './workflows.ts';

export interface Assembly {
  readonly functions: readonly FunctionDescription[];
  readonly tables: readonly TableDescription[];
  readonly secrets: readonly SecretDescription[];
  readonly restApis: readonly RestApi[];
  readonly workflows: readonly WorkflowDescription[];
  readonly schedules: readonly ScheduleDescription[];
  readonly queues: readonly QueueDescription[];
  readonly mappings: readonly MappingDescription[];
  /** The functions that follow a table's changes. */
  readonly streamMappings: readonly StreamMappingDescription[];
  readonly buses: readonly EventBusDescription[];
  readonly eventRules: readonly EventRule[];
  /** Names of the groups that one-time schedules are made in. */
  readonly scheduleGroups: readonly string[];
  /** The roles that functions, workflows and schedules act in. */
  readonly roles: readonly RoleDescription[];
  /** Stack outputs by name. */
  readonly outputs: Readonly<Record<string, string>>;
}

/** Types that the runtime acts out. */
const RUN = [
  'AWS::ApiGateway::GatewayResponse',
  'AWS::ApiGateway::Method',
  'AWS::ApiGateway::Resource',
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::DynamoDB::Table',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::ManagedPolicy',
  'AWS::IAM::Policy',
  'AWS::IAM::Role',
  'AWS::Lambda::Alias',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::SQS::Queue',
  'AWS::SQS::QueuePolicy',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
  'AWS::WAFv2::WebACL',
  'AWS::WAFv2::WebACLAssociation',
];

/** Types whose absence nobody notices locally: they watch, record or only matter to a deployment. */
const IGNORED = [
  'AWS::ApiGateway::Account',
  'AWS::ApiGateway::BasePathMapping',
  'AWS::ApiGateway::Deployment',
  'AWS::ApiGateway::DomainName',
  'AWS::Budgets::Budget',
  'AWS::CDK::Metadata',
  'AWS::CE::AnomalyMonitor',
  'AWS::CE::AnomalySubscription',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::CloudWatch::Dashboard',
  'AWS::CodeDeploy::Application',
  'AWS::CodeDeploy::DeploymentGroup',
  'AWS::Lambda::Permission',
  'AWS::Lambda::Version',
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::WAFv2::LoggingConfiguration',
];

/** Reads an assembly folder; throws an error that names whatever the local runtime cannot run. */
export function readAssembly(directory: string): Assembly {
  const stacks = new Stacks(readCloudAssembly(directory));
  const unknown = stacks.typesOutside(new Set([...RUN, ...IGNORED]));
  if (unknown.length > 0)
    throw new Error(`the local runtime does not know the resource type ${unknown.join(', ')}`);
  const functions = describeFunctions(stacks);
  const workflows = describeWorkflows(stacks);
  const schedules = describeSchedules(stacks);
  const targets = schedules.flatMap((schedule) => schedule.targets);
  const roleArns = [
    ...[...functions, ...workflows, ...targets].flatMap(({ roleArn }) => roleArn ?? []),
    ...rolesOfService(stacks, 'scheduler.amazonaws.com'),
  ];
  return {
    functions,
    tables: describeTables(stacks),
    secrets: describeSecrets(stacks),
    restApis: describeRestApis(stacks),
    workflows,
    schedules,
    queues: describeQueues(stacks),
    mappings: describeMappings(stacks),
    streamMappings: describeStreamMappings(stacks),
    buses: describeBuses(stacks),
    eventRules: describeEventRules(stacks),
    scheduleGroups: stacks.resources('AWS::Scheduler::ScheduleGroup').map(({ identity }) => identity.ref),
    roles: describeRoles(stacks, roleArns),
    outputs: stacks.outputs(),
  };
}
