import { describe, expect, it } from '@jest/globals';
import type { TrustStatement } from '../../assembly/roles.ts';
import { mayTake } from './trust.ts';

const group = 'arn:aws:scheduler:us-east-1:000000000000:schedule-group/prod-deliveries';
const scheduler = { service: 'scheduler.amazonaws.com', sourceArn: group };
const lambda = { service: 'lambda.amazonaws.com', sourceArn: 'arn:aws:lambda:us-east-1:0:function:a' };
const toLambda = { Principal: { Service: lambda.service } };
const SOURCE = { 'aws:SourceAccount': '000000000000', 'aws:SourceArn': group };

const trusting = (statement: Partial<TrustStatement>) => ({
  trust: [
    { Effect: 'Allow', Action: 'sts:AssumeRole', Principal: { Service: scheduler.service }, ...statement },
  ],
});

describe('the trust in a service', () => {
  it.each([
    ['covers the service', true, trusting({}), scheduler],
    ['covers each service', true, trusting({ Principal: { Service: ['a', scheduler.service] } }), scheduler],
    ['covers no other service', false, trusting({}), { ...scheduler, service: 'events.amazonaws.com' }],
    ['covers no service by default', false, { trust: [] }, scheduler],
    ['covers the source', true, trusting({ Condition: { StringEquals: SOURCE } }), scheduler],
    [
      'covers no other source',
      false,
      trusting({ Condition: { StringEquals: SOURCE } }),
      { ...scheduler, sourceArn: group.replace('prod', 'test') },
    ],
    [
      'covers no other account',
      false,
      trusting({ Condition: { StringEquals: { 'aws:SourceAccount': '111111111111' } } }),
      scheduler,
    ],
    ['covers Lambda', true, trusting(toLambda), lambda],
    [
      'does not cover Lambda for a source, which Lambda does not name',
      false,
      trusting({ ...toLambda, Condition: { ArnLike: { 'aws:SourceArn': '*:*:*:*:*:*' } } }),
      lambda,
    ],
  ])('%s', (_, expected, role, principal) => {
    expect(mayTake(role, principal)).toBe(expected);
  });

  it.each([{ Effect: 'Deny' }, { Action: ['sts:AssumeRole', 'sts:TagSession'] }])(
    'causes an error if its form is unknown: %j',
    (statement) => expect(() => mayTake(trusting(statement), scheduler)).toThrow('trust policy'),
  );
});
