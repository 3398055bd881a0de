import { describe, expect, it } from '@jest/globals';
import { describeBuses, describeEventRules, matches } from './event-rules.ts';
import { describeMappings, describeQueues } from './queues.ts';
import { rolesOfService } from './roles.ts';
import { describeSchedules } from './schedules.ts';
import { Stacks } from './stacks.ts';
import type { Template } from './template.ts';

const ARN = 'arn:aws:sqs:us-east-1:000000000000:Stack-Work';
const RULE_ARN = 'arn:aws:events:us-east-1:000000000000:rule/bus/Stack-Rule';

const queuePolicy = (statement: object = {}) => ({
  Type: 'AWS::SQS::QueuePolicy',
  Properties: {
    Queues: [{ Ref: 'Work' }],
    PolicyDocument: {
      Statement: [
        {
          Effect: 'Allow',
          Action: ['sqs:SendMessage', 'sqs:GetQueueUrl'],
          Principal: { Service: 'events.amazonaws.com' },
          Condition: { ArnEquals: { 'aws:SourceArn': { 'Fn::GetAtt': ['Rule', 'Arn'] } } },
          ...statement,
        },
      ],
    },
  },
});

const stacksOf = (changes: Template['Resources'] = {}) => {
  const resources: Template['Resources'] = {
    Bus: { Type: 'AWS::Events::EventBus', Properties: { Name: 'bus' } },
    Rule: {
      Type: 'AWS::Events::Rule',
      Properties: {
        EventBusName: { Ref: 'Bus' },
        EventPattern: { account: [{ Ref: 'AWS::AccountId' }] },
        Targets: [{ Arn: { 'Fn::GetAtt': ['Work', 'Arn'] } }],
      },
    },
    Work: {
      Type: 'AWS::SQS::Queue',
      Properties: {
        VisibilityTimeout: 60,
        RedrivePolicy: { deadLetterTargetArn: { 'Fn::GetAtt': ['Dead', 'Arn'] }, maxReceiveCount: 5 },
      },
    },
    Dead: { Type: 'AWS::SQS::Queue' },
    Policy: queuePolicy(),
    Mapping: {
      Type: 'AWS::Lambda::EventSourceMapping',
      Properties: {
        EventSourceArn: { 'Fn::GetAtt': ['Work', 'Arn'] },
        FunctionName: 'reader',
        FunctionResponseTypes: ['ReportBatchItemFailures'],
        ScalingConfig: { MaximumConcurrency: 7 },
      },
    },
    ...changes,
  };
  return new Stacks([{ name: 'Stack', template: { Resources: resources }, assets: new Map() }]);
};

describe('a rule with a pattern', () => {
  it('appears with its bus and its queues, and not among the schedules', () => {
    expect(describeEventRules(stacksOf())).toEqual([
      {
        name: 'Stack-Rule',
        busName: 'bus',
        pattern: { account: ['000000000000'] },
        queueArns: [ARN],
        functionArns: [],
      },
    ]);
    expect(describeBuses(stacksOf())).toMatchObject([{ name: 'bus' }]);
    expect(describeSchedules(stacksOf())).toEqual([]);
  });

  it.each([
    ['a deny', { Effect: 'Deny' }],
    ['another action', { Action: 'sqs:ReceiveMessage' }],
    ['another service', { Principal: { Service: 'sns.amazonaws.com' } }],
    ['another rule', { Condition: { ArnEquals: { 'aws:SourceArn': `${RULE_ARN}-other` } } }],
  ])('causes an error if its queue does not admit it: the policy has %s', (_what, statement) => {
    expect(() => describeEventRules(stacksOf({ Policy: queuePolicy(statement) }))).toThrow(
      'does not let it send',
    );
  });

  it('causes an error that names the rule if it filters by more than literal values', () => {
    const rule = { Type: 'AWS::Events::Rule', Properties: { EventPattern: { source: [{ prefix: 'x' }] } } };
    expect(() => describeEventRules(stacksOf({ Rule: rule }))).toThrow(
      'Stack/Rule: the local runtime matches',
    );
  });
});

describe('an event', () => {
  const event = { source: 'shop', detail: { kind: 'sale', tags: ['a', 'b'] } };

  it.each([
    [{}, true],
    [{ source: ['shop', 'other'] }, true],
    [{ source: ['other'] }, false],
    [{ source: ['shop'], detail: { kind: ['sale'] } }, true],
    [{ detail: { kind: ['sale'], tags: ['b'] } }, true],
    [{ detail: { kind: ['return'] } }, false],
    [{ missing: ['x'] }, false],
    [{ source: { nested: ['x'] } }, false],
  ])(
    'matches a pattern only if it contains one of the listed values of each field: %j',
    (pattern, expected) => {
      expect(matches(pattern, event)).toBe(expected);
    },
  );
});

describe('a queue and its reader', () => {
  it('appear with their limits, or with the defaults if the template has none', () => {
    expect(describeQueues(stacksOf())).toMatchObject([
      { name: 'Stack-Work', arn: ARN, visibilityMs: 60_000, dead: { maxReceives: 5 } },
      { name: 'Stack-Dead', visibilityMs: 30_000, retentionMs: 4 * 86_400_000, dead: undefined },
    ]);
    expect(describeMappings(stacksOf())).toEqual([
      { functionName: 'reader', queueArn: ARN, batchSize: 10, maxConcurrency: 7, partialFailures: true },
    ]);
  });

  it('cause an error if the runtime does not support them', () => {
    const fifo = { Type: 'AWS::SQS::Queue', Properties: { FifoQueue: true } };
    expect(() => describeQueues(stacksOf({ Dead: fifo }))).toThrow('standard queues only');
    const stream = { EventSourceArn: 'arn:aws:kinesis:x', FunctionName: 'reader' };
    const mapping = { Type: 'AWS::Lambda::EventSourceMapping', Properties: stream };
    expect(() => describeMappings(stacksOf({ Mapping: mapping }))).toThrow('maps queues only');
  });
});

describe('the roles of a service', () => {
  it('include only roles that the service can assume', () => {
    const role = (Service: string) => ({
      Type: 'AWS::IAM::Role',
      Properties: { AssumeRolePolicyDocument: { Statement: [{ Principal: { Service } }] } },
    });
    const stacks = stacksOf({ A: role('scheduler.amazonaws.com'), B: role('lambda.amazonaws.com') });
    expect(rolesOfService(stacks, 'scheduler.amazonaws.com')).toEqual([
      'arn:aws:iam::000000000000:role/Stack-A',
    ]);
  });
});
