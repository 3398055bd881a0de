/** The whole of an assembly as the local runtime runs it. */

import { describeRestApis } from './api/rest-apis.ts';
import { describeBuckets, describeScanPlans } from './buckets.ts';
import { readCloudAssembly } from './cloud-assembly.ts';
import { describeBuses, describeEventRules } from './event-rules.ts';
import { describeFunctions } from './functions.ts';
import { describeMappings, describeQueues } from './queues.ts';
import { describeRoles, rolesOfService } from './roles.ts';
import { describeSchedules } from './schedules.ts';
import { describeSecrets } from './secrets.ts';
import { Stacks } from './stacks.ts';
import { describeStreamMappings } from './stream-mappings.ts';
import { describeTables } from './tables.ts';
import { describeWorkflows } from './workflows.ts';

export type Assembly = ReturnType<typeof readAssembly>;

/** Types whose absence nobody notices locally: they watch, record or only matter to a deployment. */
const IGNORED: readonly string[] = [
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
  'AWS::Logs::LogGroup',
  'AWS::Logs::MetricFilter',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Subscription',
  'AWS::SNS::Topic',
  'AWS::SNS::TopicPolicy',
  'AWS::WAFv2::LoggingConfiguration',
];

/** Reads an assembly folder; throws an error that names whatever the local runtime cannot run. */
export function readAssembly(directory: string) {
  const stacks = new Stacks(readCloudAssembly(directory));
  const functions = describeFunctions(stacks);
  const workflows = describeWorkflows(stacks);
  const schedules = describeSchedules(stacks);
  const scanPlans = describeScanPlans(stacks);
  const targets = schedules.flatMap((schedule) => schedule.targets);
  const roleArns = [
    ...[...functions, ...workflows, ...targets, ...scanPlans].flatMap(({ roleArn }) => roleArn ?? []),
    ...rolesOfService(stacks, 'scheduler.amazonaws.com'),
  ];
  const assembly = {
    functions,
    tables: describeTables(stacks),
    secrets: describeSecrets(stacks),
    restApis: describeRestApis(stacks),
    workflows,
    schedules,
    queues: describeQueues(stacks),
    mappings: describeMappings(stacks),
    /** The functions that follow a table's changes. */
    streamMappings: describeStreamMappings(stacks),
    buckets: describeBuckets(stacks),
    scanPlans,
    buses: describeBuses(stacks),
    eventRules: describeEventRules(stacks),
    /** Names of the groups that one-time schedules are made in. */
    scheduleGroups: stacks.resources('AWS::Scheduler::ScheduleGroup').map(({ identity }) => identity.ref),
    /** The roles that functions, workflows and schedules act in. */
    roles: describeRoles(stacks, roleArns),
    /** Stack outputs by name. */
    outputs: stacks.outputs(),
  };
  const unknown = stacks.unreadTypes().filter((type) => !IGNORED.includes(type));
  if (unknown.length > 0)
    throw new Error(`the local runtime does not know the resource type ${unknown.join(', ')}`);
  return assembly;
}
