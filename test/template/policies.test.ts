import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { busName, STACKS, stackNameOf } from '../../lib/config/stage-names.ts';
import { POLICY_KINDS, policyDocument } from '../../operator/policies/command.ts';
import { EXECUTION_ROWS } from '../../operator/policies/execution.ts';
import type { PolicyStatementText } from '../../operator/policies/scope.ts';
import { compilePolicy } from '../../tools/local/aws/iam/policy.ts';
import { assemblyOf } from './assemblies.ts';
import { CONFIGURATIONS, type ConfigurationName } from './configurations.ts';

interface NamedResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
}

const resources = (Object.keys(CONFIGURATIONS) as ConfigurationName[])
  .flatMap((name) => readdirSync(assemblyOf(name)).map((file) => join(assemblyOf(name), file)))
  .filter((file) => file.endsWith('.template.json'))
  .flatMap((file) => {
    const { Resources } = JSON.parse(readFileSync(file, 'utf8')) as {
      readonly Resources: Readonly<Record<string, NamedResource>>;
    };
    return Object.values(Resources);
  });

const scope = { partition: 'aws', accountId: '123456789012', region: 'eu-central-1', stage: 'prod' };
const regional = (service: string, resource: string) =>
  `arn:aws:${service}:eu-central-1:123456789012:${resource}`;

/** For types whose names the templates choose: the property, an action, and the ARN of a name. */
const NAMED: Readonly<Record<string, readonly [string, string, (name: string) => string]>> = {
  'AWS::Lambda::Function': [
    'FunctionName',
    'lambda:CreateFunction',
    (name) => regional('lambda', `function:${name}`),
  ],
  'AWS::SQS::Queue': ['QueueName', 'sqs:CreateQueue', (name) => regional('sqs', name)],
  'AWS::StepFunctions::StateMachine': [
    'StateMachineName',
    'states:CreateStateMachine',
    (name) => regional('states', `stateMachine:${name}`),
  ],
  'AWS::CloudWatch::Alarm': [
    'AlarmName',
    'cloudwatch:PutMetricAlarm',
    (name) => regional('cloudwatch', `alarm:${name}`),
  ],
  'AWS::CloudWatch::Dashboard': [
    'DashboardName',
    'cloudwatch:PutDashboard',
    (name) => `arn:aws:cloudwatch::123456789012:dashboard/${name}`,
  ],
  'AWS::Scheduler::ScheduleGroup': [
    'Name',
    'scheduler:CreateScheduleGroup',
    (name) => regional('scheduler', `schedule-group/${name}`),
  ],
};

const named = Object.entries(NAMED).map(([type, [property, action, arnOf]]) => {
  const names = resources
    .filter(({ Type }) => Type === type)
    .flatMap(({ Properties }) => Properties?.[property] ?? [])
    .filter((name): name is string => typeof name === 'string' && name.startsWith('prod'));
  return { type, action, arns: [...new Set(names)].map(arnOf) };
});

const execution = policyDocument('execution', scope).Statement;
const decide = (statements: readonly PolicyStatementText[]) => compilePolicy(statements);

describe('the printed policies', () => {
  it.each(POLICY_KINDS)('fit into a managed policy, also for the longest stage: %s', (kind) => {
    expect(() => policyDocument(kind, { ...scope, stage: 'a-stage-of-20-chars-' })).not.toThrow();
  });

  it('give CloudFormation rights on every type of resource of every configuration, and on no other type', () => {
    const types = [...new Set(resources.map(({ Type }) => Type))].filter(
      (type) => !type.startsWith('Custom::') && type !== 'AWS::CDK::Metadata',
    );
    const listed = new Set(EXECUTION_ROWS.flatMap((row) => row.types));
    expect(types.filter((type) => !listed.has(type))).toEqual([]);
    expect([...listed].filter((type) => !types.includes(type))).toEqual([]);
  });

  it.each(named)('let CloudFormation create the names of the stage alone: $type', ({ action, arns }) => {
    const policy = decide(execution);
    expect(arns.length).toBeGreaterThan(0);
    for (const arn of arns) {
      expect([arn, policy(action, arn)]).toEqual([arn, 'allowed']);
      const other = arn.replaceAll('prod', 'other');
      expect([other, policy(action, other)]).toEqual([other, 'not allowed']);
    }
  });

  it.each(named)('deny what a left out action allowed: $type', ({ action, arns }) => {
    const [service] = action.split(':');
    const rest = execution.filter(({ Action }) => !Action.includes(`${service}:*`));
    expect(decide(rest)(action, arns[0] ?? '')).toBe('not allowed');
  });

  it.each(['up', 'admin'] as const)('reach no stage whose name begins with theirs: %s', (kind) => {
    const policyOf = (stage: string) => policyDocument(kind, { ...scope, stage }).Statement;
    const allowed = decide(policyOf('test'));
    // These read the account.
    const reads = policyOf('test').flatMap(({ Action: actions, Resource: [arn] }) =>
      arn === '*' ? actions : [],
    );
    // The roles of the bootstrap are the account's, and CloudFormation names secrets without the stage.
    const ofStage = policyOf('test-eu').flatMap(({ Action: actions, Resource: arns }) =>
      arns
        .filter((arn) => arn.includes('test-eu'))
        .flatMap((arn) => actions.map((action) => [action, arn.replaceAll('*', 'x')] as const))
        .filter(([action]) => !reads.includes(action)),
    );
    expect(ofStage.length).toBeGreaterThan(20);
    for (const [action, arn] of ofStage)
      expect([action, arn, allowed(action, arn)]).toEqual([action, arn, 'not allowed']);
  });

  it.each([
    ['prod', 'test'],
    ['test', 'prod'],
  ])('let admin of %s send events to the bus of its stage alone', (stage, other) => {
    const allowed = decide(policyDocument('admin', { ...scope, stage }).Statement);
    const sends = (to: string) => allowed('events:PutEvents', regional('events', `event-bus/${busName(to)}`));
    expect([sends(stage), sends(other)]).toEqual(['allowed', 'not allowed']);
  });

  it('let up assume roles for deployments alone, in its region and that of CloudFront', () => {
    const policy = decide(policyDocument('up', scope).Statement);
    const assumes = (role: string, region: string) =>
      policy(
        'sts:AssumeRole',
        `arn:aws:iam::123456789012:role/cdk-hnb659fds-${role}-role-123456789012-${region}`,
      );
    for (const region of ['eu-central-1', 'us-east-1']) {
      expect(assumes('deploy', region)).toBe('allowed');
      for (const role of ['cfn-exec', 'lookup']) expect(assumes(role, region)).toBe('not allowed');
    }
    expect(assumes('deploy', 'eu-west-3')).toBe('not allowed');
  });

  it.each(['prod', 'a-stage-of-14c', 'a-stage-of-20-chars-'])(
    'let CloudFormation write roles and buckets under the names that it cuts: %s',
    (stage) => {
      const policy = decide(policyDocument('execution', { ...scope, stage }).Statement);
      for (const stack of STACKS) {
        const full = stackNameOf(stage, stack);
        for (const name of [full, full.slice(0, 29), full.slice(0, 24)]) {
          const bucket = `arn:aws:s3:::${name.toLowerCase()}-builds-1`;
          expect([name, policy('iam:CreateRole', `arn:aws:iam::123456789012:role/${name}-Role-1`)]).toEqual([
            name,
            'allowed',
          ]);
          expect([name, policy('s3:CreateBucket', bucket)]).toEqual([name, 'allowed']);
        }
      }
    },
  );

  it('let CloudFormation write roles of the stage alone', () => {
    const policy = decide(execution);
    const role = (name: string) => `arn:aws:iam::123456789012:role/${name}`;
    for (const action of ['iam:CreateRole', 'iam:PutRolePolicy', 'iam:PassRole']) {
      expect(policy(action, role('Inference-prod-platform-Role1-abc'))).toBe('allowed');
      for (const name of ['Inference-other-platform-Role1-abc', 'Admin', 'cdk-hnb659fds-deploy-role-1-2'])
        expect(policy(action, role(name))).toBe('not allowed');
    }
  });
});
