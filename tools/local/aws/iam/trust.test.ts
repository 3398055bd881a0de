import { describe, expect, it } from '@jest/globals';
import type { TrustStatement } from '../../assembly/roles.ts';
import { mayTake } from './trust.ts';

const group = 'arn:aws:scheduler:us-east-1:000000000000:schedule-group/prod-deliveries';
const scheduler = { service: 'scheduler.amazonaws.com', sourceArn: group };

const trusting = (statement: Partial<TrustStatement>) => ({
  trust: [
    {
      Effect: 'Allow',
      Action: 'sts:AssumeRole',
      Principal: { Service: 'scheduler.amazonaws.com' },
      ...statement,
    },
  ],
});

describe('the trust in a service', () => {
  it('covers that service alone', () => {
    expect(mayTake(trusting({}), scheduler)).toBe(true);
    expect(mayTake(trusting({ Principal: { Service: ['a', 'scheduler.amazonaws.com'] } }), scheduler)).toBe(
      true,
    );
    expect(mayTake(trusting({}), { ...scheduler, service: 'events.amazonaws.com' })).toBe(false);
    expect(mayTake({ trust: [] }, scheduler)).toBe(false);
  });

  it('depends on the source of the service', () => {
    const role = trusting({
      Condition: { StringEquals: { 'aws:SourceAccount': '000000000000', 'aws:SourceArn': group } },
    });
    expect(mayTake(role, scheduler)).toBe(true);
    expect(mayTake(role, { ...scheduler, sourceArn: group.replace('prod', 'test') })).toBe(false);
    const elsewhere = trusting({ Condition: { StringEquals: { 'aws:SourceAccount': '111111111111' } } });
    expect(mayTake(elsewhere, scheduler)).toBe(false);
  });

  it('cannot depend on the source for Lambda, which does not name it', () => {
    const lambda = {
      service: 'lambda.amazonaws.com',
      sourceArn: 'arn:aws:lambda:us-east-1:000000000000:function:a',
    };
    const role = trusting({ Principal: { Service: lambda.service } });
    expect(mayTake(role, lambda)).toBe(true);
    const bound = {
      Principal: { Service: lambda.service },
      Condition: { ArnLike: { 'aws:SourceArn': '*:*:*:*:*:*' } },
    };
    expect(mayTake(trusting(bound), lambda)).toBe(false);
  });

  it('causes an error if its form is unknown', () => {
    expect(() => mayTake(trusting({ Effect: 'Deny' }), scheduler)).toThrow('trust policy');
    expect(() => mayTake(trusting({ Action: ['sts:AssumeRole', 'sts:TagSession'] }), scheduler)).toThrow(
      'trust policy',
    );
  });
});
