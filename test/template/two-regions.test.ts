import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { joined, STACK_NAMES, SynthesizedApp } from './synthesized-app.ts';

const EDGE = 'edge-alarms';
const STACKS = [...STACK_NAMES, 'ingress', EDGE] as const;

/** The names that AWS keeps once in an account, whatever the region, by type. */
const ACCOUNT_WIDE = {
  'AWS::Budgets::Budget': 'BudgetName',
  'AWS::CE::AnomalyMonitor': 'MonitorName',
  'AWS::CE::AnomalySubscription': 'SubscriptionName',
  'AWS::CloudFront::Function': 'Name',
  'AWS::CloudFront::VpcOrigin': 'Name',
  'AWS::CloudWatch::Dashboard': 'DashboardName',
  'AWS::IAM::Role': 'RoleName',
  'AWS::S3::Bucket': 'BucketName',
} as const;

/** Those that it keeps once in a region, of the stack in us-east-1. */
const REGIONAL = {
  'AWS::CloudWatch::Alarm': 'AlarmName',
  'AWS::SNS::Topic': 'TopicName',
} as const;

/** Those that it keeps once in a region, or in another resource. */
const ELSEWHERE = [
  'AWS::ApiGateway::RestApi',
  'AWS::ApiGateway::Stage',
  'AWS::ApplicationAutoScaling::ScalingPolicy',
  'AWS::CloudWatch::Alarm',
  'AWS::CloudWatch::CompositeAlarm',
  'AWS::ECS::Cluster',
  'AWS::ECS::Service',
  'AWS::ECS::TaskDefinition',
  'AWS::Events::EventBus',
  'AWS::Events::Rule',
  'AWS::IAM::Policy',
  'AWS::Lambda::EventInvokeConfig',
  'AWS::Lambda::EventSourceMapping',
  'AWS::Lambda::Function',
  'AWS::Lambda::Permission',
  'AWS::Logs::LogGroup',
  'AWS::Logs::QueryDefinition',
  'AWS::SNS::Topic',
  'AWS::SQS::Queue',
  'AWS::Scheduler::ScheduleGroup',
  'AWS::SecretsManager::Secret',
  'AWS::StepFunctions::StateMachine',
] as const;

/** The properties with those in which some types have theirs. */
const flat = ({ Budget, VpcOriginEndpointConfig, ...properties }: Readonly<Record<string, unknown>>) => ({
  ...properties,
  ...(Budget as object | undefined),
  ...(VpcOriginEndpointConfig as object | undefined),
});

const namesOf = (app: SynthesizedApp, stack: (typeof STACKS)[number], types: Record<string, string>) =>
  Object.entries(types).flatMap(([type, property]) =>
    app.properties(stack, type).flatMap((properties) => {
      const name = flat(properties)[property as 'Name'];
      return name === undefined ? [] : [`${type} ${joined(name)}`];
    }),
  );

/** The names of the stacks, each with its account and region. */
function stackNamesOf({ outdir }: SynthesizedApp): readonly string[] {
  const { artifacts } = JSON.parse(readFileSync(join(outdir, 'manifest.json'), 'utf8')) as {
    artifacts: Record<string, { readonly type: string; readonly environment?: string }>;
  };
  return Object.entries(artifacts)
    .filter(([, { type }]) => type === 'aws:cloudformation:stack')
    .map(([id, { environment }]) => `${environment}/${id}`);
}

const tagsOf = (app: SynthesizedApp) =>
  STACKS.flatMap((stack) => [
    ...JSON.stringify(app.templates[stack]).matchAll(/\{"Key":"stack","Value":"([^"]+)"\}/g),
  ]).map(([, value]) => value);

const deployments = (['fargate-abroad', 'second-region'] as const).map((name) => new SynthesizedApp(name));

describe('one stage in two regions of an account', () => {
  it.each([
    ['stack of a region', stackNamesOf, 12],
    ['value of the tag by which costs are divided', tagsOf, 12],
    ['name that is unique in the account', (app) => STACKS.flatMap((s) => namesOf(app, s, ACCOUNT_WIDE)), 18],
    ['name in us-east-1', (app: SynthesizedApp) => namesOf(app, EDGE, REGIONAL), 4],
  ] satisfies [string, (app: SynthesizedApp) => readonly (string | undefined)[], number][])(
    'shares no %s',
    (_, listed, count) => {
      const names = deployments.flatMap((app) => [...new Set(listed(app))]);
      expect(names).toHaveLength(count);
      expect(new Set(names).size).toBe(count);
    },
  );

  it('uses only names of types with a known scope', () => {
    const named = deployments.flatMap(({ templates }) =>
      STACKS.flatMap((stack) =>
        Object.values(templates[stack].Resources)
          .filter(({ Properties = {} }) => Object.keys(flat(Properties)).some((key) => /Name$/.test(key)))
          .map(({ Type }) => Type),
      ),
    );
    const known: readonly string[] = [...Object.keys(ACCOUNT_WIDE), ...ELSEWHERE];
    expect([...new Set(named)].filter((type) => !known.includes(type))).toEqual([]);
  });
});
