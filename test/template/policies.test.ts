import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { parseConfig } from '../../lib/config/config.ts';
import { boundaryName, busName, STACKS, stackNameOf } from '../../lib/config/stage-names.ts';
import { POLICY_KINDS, policyDocument } from '../../operator/commands/policies.ts';
import { EXECUTION_ROWS } from '../../operator/policies/execution.ts';
import type { PolicyStatementText } from '../../operator/policies/scope.ts';
import { readCloudAssembly } from '../../tools/local/assembly/cloud-assembly.ts';
import { ACCOUNT_ID } from '../../tools/local/assembly/intrinsics.ts';
import type { PolicyStatement } from '../../tools/local/assembly/roles.ts';
import { Stacks } from '../../tools/local/assembly/stacks.ts';
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

interface RolePolicy {
  readonly PolicyDocument: { readonly Statement: readonly PolicyStatement[] };
}

/** A role is passed to the service that starts schedules. */
const PASSED = { 'iam:PassedToService': 'scheduler.amazonaws.com' };

/** CloudFormation names secrets without the stack, and buckets in small letters; the local runtime does not. */
const deployedArn = (arn: string): string =>
  arn.includes(':s3:::')
    ? arn.toLowerCase()
    : arn.replace(/:\d{12}:/, `:${ACCOUNT_ID}:`).replace(/:secret:Inference-.*-data-/, ':secret:');

const execution = policyDocument('execution', scope).Statement;
const decide = (statements: readonly PolicyStatementText[]) => compilePolicy(statements);

describe('the printed policies', () => {
  it.each(POLICY_KINDS)('fit into a managed policy, also for the longest stage: %s', (kind) => {
    const longest = { ...scope, region: 'ap-southeast-2', stage: 'a-stage-of-20-chars-' };
    expect(() => policyDocument(kind, longest)).not.toThrow();
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
    ['lambda:InvokeFunction', regional('lambda', 'function:prod-eu-inference-sweep-holds'), 'boundary'],
    ['lambda:UpdateFunctionCode', regional('lambda', 'function:prod-eu-inference-sweep-holds'), 'execution'],
    ['sqs:SendMessage', regional('sqs', 'prod-eu-events'), 'boundary'],
    ['sqs:DeleteQueue', regional('sqs', 'prod-eu-events'), 'execution'],
    [
      'cloudformation:DeleteStack',
      regional('cloudformation', 'stack/Inference-prod-eu-platform/1'),
      'execution',
    ],
  ] as const)('deny on the stage prod-eu what they allow on prod: %s', (action, arn, kind) => {
    const allowed = decide(policyDocument(kind, scope).Statement);
    const own = arn.replace('prod-eu', 'prod').replace('platform/', 'platform-MarketPaths/');
    expect([allowed(action, own), allowed(action, arn)]).toEqual(['allowed', 'not allowed']);
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
    'let CloudFormation write buckets under the names that it cuts: %s',
    (stage) => {
      const policy = decide(policyDocument('execution', { ...scope, stage }).Statement);
      for (const stack of STACKS) {
        const full = stackNameOf(stage, stack).toLowerCase();
        for (const name of [full, full.slice(0, 29), full.slice(0, 24)])
          expect([name, policy('s3:CreateBucket', `arn:aws:s3:::${name}-builds-1`)]).toEqual([
            name,
            'allowed',
          ]);
      }
    },
  );
});

const ROLES = 'arn:aws:iam::123456789012:role';
const boundaryOf = (stage: string) => `arn:aws:iam::123456789012:policy/${boundaryName(stage)}`;
const bounded = { 'iam:PermissionsBoundary': boundaryOf('prod') };

describe('the policy of CloudFormation', () => {
  const policy = decide(execution);

  it.each(['iam:CreateRole', 'iam:PutRolePolicy', 'iam:AttachRolePolicy', 'iam:PutRolePermissionsBoundary'])(
    'allows %s only for roles with the boundary of the stage',
    (action) => {
      // CloudFormation may cut the name in any way: the path alone counts.
      const role = `${ROLES}/Inference/prod/Inf-Role1-abc`;
      const other = { 'iam:PermissionsBoundary': boundaryOf('other') };
      expect(policy(action, role, bounded)).toBe('allowed');
      expect([policy(action, role), policy(action, role, other)]).toEqual(['not allowed', 'not allowed']);
    },
  );

  it('reaches roles of the stage alone, and removes the boundary of none', () => {
    for (const action of [
      'iam:CreateRole',
      'iam:PutRolePolicy',
      'iam:PassRole',
      'iam:UpdateAssumeRolePolicy',
    ]) {
      expect(policy(action, `${ROLES}/Inference/prod/a`, bounded)).toBe('allowed');
      for (const name of [
        'Inference/prod-eu/a',
        'Inference/other/a',
        'Admin',
        'cdk-hnb659fds-deploy-role-1-2',
      ])
        expect([name, policy(action, `${ROLES}/${name}`, bounded)]).toEqual([name, 'not allowed']);
    }
    for (const action of ['iam:DeleteRolePermissionsBoundary', 'iam:CreatePolicyVersion', 'iam:CreateUser'])
      for (const arn of [`${ROLES}/Inference/prod/a`, boundaryOf('prod')])
        expect([action, policy(action, arn, bounded)]).toEqual([action, 'not allowed']);
  });
});

describe.each(Object.keys(CONFIGURATIONS) as ConfigurationName[])('a role of the deployment %s', (name) => {
  const { stage, bootstrap } = parseConfig(CONFIGURATIONS[name]);
  const stacks = new Stacks(readCloudAssembly(assemblyOf(name)));
  const boundary = policyDocument('boundary', { ...scope, accountId: ACCOUNT_ID, stage }).Statement;
  const allowed = decide(boundary);
  const roles = stacks.resources('AWS::IAM::Role').map((role) => ({
    role,
    ...role.properties<{ Path: string; PermissionsBoundary: string; Policies?: readonly RolePolicy[] }>(),
  }));
  const policies = stacks.resources('AWS::IAM::Policy').map((policy) => policy.properties<RolePolicy>());

  it('stays within the path and the boundary of the stage, unless CloudFormation is an administrator', () => {
    expect(roles.length).toBeGreaterThan(70);
    const arn = `arn:aws:iam::${ACCOUNT_ID}:policy/${boundaryName(stage)}`;
    for (const { Path: path, PermissionsBoundary: found } of roles)
      expect([path, found]).toEqual([`/Inference/${stage}/`, bootstrap === 'scoped' ? arn : undefined]);
  });

  it('needs nothing that the boundary denies', () => {
    const statements = [...roles.flatMap(({ Policies: inline = [] }) => inline), ...policies].flatMap(
      ({ PolicyDocument: document }) => document.Statement,
    );
    const needed = statements
      .filter(({ Effect: effect }) => effect === 'Allow')
      .flatMap(({ Action: actions = [], Resource: arns = [] }) =>
        [actions].flat().flatMap((action) => [arns].flat().map((arn) => [action, arn] as const)),
      );
    expect(needed.length).toBeGreaterThan(300);
    const denied = needed.filter(
      ([action, arn]) => allowed(action.replace('*', ''), deployedArn(arn), PASSED) !== 'allowed',
    );
    expect(denied).toEqual([]);
  });
});

describe('the boundary of roles', () => {
  it.each([
    ['a right on rights', 'iam:CreateRole', `${ROLES}/Inference/prod/a`],
    ['a role of others', 'iam:PassRole', `${ROLES}/Admin`],
    ['another identity', 'sts:AssumeRole', `${ROLES}/Inference/prod/a`],
    ['its own change', 'iam:CreatePolicyVersion', boundaryOf('prod')],
    [
      'tables of another stage',
      'dynamodb:GetItem',
      regional('dynamodb', 'table/Inference-prod-eu-data-Keys'),
    ],
    [
      'secrets of another stage',
      'secretsmanager:GetSecretValue',
      regional('secretsmanager', 'secret:test/smoke'),
    ],
    ['functions of others', 'lambda:InvokeFunction', regional('lambda', 'function:payroll')],
    ['a deployment', 'cloudformation:UpdateStack', regional('cloudformation', 'stack/Inference-prod-data/1')],
  ])('denies %s', (_, action, arn) => {
    const { Statement } = policyDocument('boundary', scope);
    expect(decide(Statement)(action, arn, PASSED)).toBe('not allowed');
  });
});
