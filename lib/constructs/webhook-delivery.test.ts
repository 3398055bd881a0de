import { describe, expect, it } from '@jest/globals';
import { CONSUMERS } from '../../lambdas/platform/contract/consumers.ts';
import {
  ALLOW_LOOPBACK_VARIABLE,
  DEFAULT_DELIVERY_CLAIM_SECONDS,
} from '../../lambdas/platform/contract/environment.ts';
import { QUEUES, type Queue, type QueueName } from '../../lambdas/platform/contract/queues.ts';
import { permissionsOf, policiesOf } from '../../test/template/permissions.ts';
import { SERVICE_STACKS, STACK_NAMES, SynthesizedApp } from '../../test/template/synthesized-app.ts';

const app = new SynthesizedApp();
const STACK = 'platform';
const specs = Object.entries(QUEUES) as [QueueName, Queue][];

const idOf = (name: QueueName): string => {
  const prefix = `Messaging${name[0]?.toUpperCase()}${name.slice(1)}`;
  const resources = app
    .resources(STACK, 'AWS::SQS::Queue')
    .find(([id]) => id.replace(/[0-9A-F]{8}$/, '') === prefix);
  if (resources === undefined) throw new Error(`there is no queue ${name}`);
  return resources[0];
};
const propertiesOf = (name: QueueName) => app.templates[STACK].Resources[idOf(name)]?.Properties ?? {};
const arn = (name: QueueName) => ({ 'Fn::GetAtt': [idOf(name), 'Arn'] });
const mappings = app
  .properties(STACK, 'AWS::Lambda::EventSourceMapping')
  // A follower of a table has a place to start from; a reader of a queue has none.
  .filter(({ StartingPosition: start }) => start === undefined);

describe('a queue', () => {
  it.each(specs)('uses the standard type and encryption, and stores a message for 14 days: %s', (name) => {
    expect(propertiesOf(name)).toMatchObject({
      SqsManagedSseEnabled: true,
      MessageRetentionPeriod: 14 * 86_400,
    });
    expect(propertiesOf(name).FifoQueue).toBeUndefined();
  });

  it.each(specs)('requires TLS: %s', (name) => {
    const policies = app
      .properties(STACK, 'AWS::SQS::QueuePolicy')
      .filter(({ Queues: queues }) => JSON.stringify(queues).includes(idOf(name)));
    expect(JSON.stringify(policies)).toContain('{"Bool":{"aws:SecureTransport":"false"}}');
  });

  it.each(specs.filter(([, { reader }]) => reader !== undefined))(
    'delivers batches that fail message by message, and gives up on one that cannot be handled: %s',
    (name, { reader, dead, visibilitySeconds = 0 }) => {
      const serviceMappings = mappings.filter(
        ({ EventSourceArn: source }) => app.reference(STACK, source)?.id === idOf(name),
      );
      expect(serviceMappings).toHaveLength(1);
      expect(serviceMappings[0]).toMatchObject({
        BatchSize: reader?.batchSize,
        ScalingConfig: { MaximumConcurrency: reader?.maxConcurrency },
        FunctionResponseTypes: ['ReportBatchItemFailures'],
      });
      expect(app.functionName(STACK, app.reference(STACK, serviceMappings[0]?.FunctionName)?.id ?? '')).toBe(
        reader?.consumer,
      );
      expect(propertiesOf(name)).toMatchObject({
        VisibilityTimeout: visibilitySeconds,
        RedrivePolicy: {
          deadLetterTargetArn: arn(dead?.queue as QueueName),
          maxReceiveCount: dead?.maxReceives,
        },
      });
      // As Lambda advises; and what a dead reader held is free again before its message is delivered again.
      const { timeoutSeconds } = CONSUMERS[reader?.consumer ?? 'deliver-webhooks'];
      expect(visibilitySeconds).toBeGreaterThanOrEqual(6 * timeoutSeconds);
      expect(visibilitySeconds).toBeGreaterThan(DEFAULT_DELIVERY_CLAIM_SECONDS);
    },
  );

  it('allows a reader that sends to it, in chains that Lambda does not cut', () => {
    const loops = SERVICE_STACKS.flatMap((stack) =>
      app
        .resources(stack, 'AWS::Lambda::Function')
        .filter(([, { Properties }]) => Properties.RecursiveLoop === 'Allow')
        .map(([id]) => app.functionName(stack, id)),
    );
    expect(loops).toEqual(['deliver-webhooks']);
  });

  it('remains without a reader if it holds dead letters', () => {
    expect(mappings).toHaveLength(specs.filter(([, { reader }]) => reader !== undefined).length);
  });
});

describe('the claim of a delivery', () => {
  it('outlasts the longest run of its function', () => {
    expect(DEFAULT_DELIVERY_CLAIM_SECONDS).toBeGreaterThan(CONSUMERS['deliver-webhooks'].timeoutSeconds);
  });
});

describe('the bus', () => {
  it('uses the name that publishers expect, and another name in another stage', () => {
    expect(app.only(STACK, 'AWS::Events::EventBus').Properties).toMatchObject({ Name: 'platform-events' });
    const other = new SynthesizedApp('every-setting');
    expect(other.only(STACK, 'AWS::Events::EventBus').Properties).toMatchObject({
      Name: 'platform-events-eu-test-2',
    });
  });

  it('passes every event of this account on, and stores the failed ones', () => {
    const [rule = {}, ...otherRules] = app
      .properties(STACK, 'AWS::Events::Rule')
      .filter(({ EventPattern: pattern, EventBusName: bus }) => pattern !== undefined && bus !== undefined);
    expect(otherRules).toEqual([]);
    expect(rule).toMatchObject({ State: 'ENABLED', EventPattern: { account: [{ Ref: 'AWS::AccountId' }] } });
    expect(rule.Targets).toEqual([
      { Id: 'Target0', Arn: arn('events'), DeadLetterConfig: { Arn: arn('deadEvents') } },
    ]);
  });
});

describe('schedules', () => {
  it('use a role that only Scheduler assumes for this account, and that can only send triggers of deliveries', () => {
    const [[roleId = '', role] = []] = app
      .resources(STACK, 'AWS::IAM::Role')
      .filter(([, { Properties }]) => JSON.stringify(Properties).includes('scheduler.amazonaws.com'));
    expect(role?.Properties.AssumeRolePolicyDocument).toMatchObject({
      Statement: [{ Condition: { StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } } }],
    });
    expect(JSON.stringify(role)).toContain(':schedule-group/prod-deliveries');
    expect(permissionsOf(app, STACK, roleId)).toEqual(['sqs:SendMessage platform:MessagingRetries.Arn']);
  });

  it('receive their role from the functions that create them, which may pass it to no other service', () => {
    const passing = policiesOf(app, STACK)
      .flatMap(([, statements]) => statements)
      .filter(({ Action }) => JSON.stringify(Action).includes('iam:PassRole'));
    expect(passing.length).toBeGreaterThan(0);
    for (const statement of passing)
      expect(statement).toMatchObject({
        Action: 'iam:PassRole',
        Condition: { StringEquals: { 'iam:PassedToService': 'scheduler.amazonaws.com' } },
      });
  });
});

describe('a deployment', () => {
  it('never lets webhooks go to its own machines', () => {
    for (const stack of STACK_NAMES)
      expect(JSON.stringify(app.templates[stack])).not.toContain(ALLOW_LOOPBACK_VARIABLE);
  });
});
