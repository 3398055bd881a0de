import { describe, expect, it } from '@jest/globals';
import { compilePolicy } from './policy.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Things';

describe('a policy', () => {
  it('denies what nothing allows', () => {
    const policy = compilePolicy([{ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table }]);
    expect(policy('dynamodb:GetItem', table)).toBe('allowed');
    expect(policy('dynamodb:PutItem', table)).toBe('not allowed');
    expect(policy('dynamodb:GetItem', `${table}/index/by-owner`)).toBe('not allowed');
    expect(policy('dynamodb:GetItem', `${table}2`)).toBe('not allowed');
  });

  it('reads wildcards in actions, ignoring case, and in resources, heeding it', () => {
    const policy = compilePolicy([
      { Effect: 'Allow', Action: ['dynamodb:batch*', 'dynamodb:?etItem'], Resource: `${table}*` },
    ]);
    expect(policy('dynamodb:BatchGetItem', `${table}/index/x`)).toBe('allowed');
    expect(policy('dynamodb:GetItem', table)).toBe('allowed');
    expect(policy('dynamodb:GetItem', table.toLowerCase())).toBe('not allowed');
  });

  it('lets an explicit deny win', () => {
    const policy = compilePolicy([
      { Effect: 'Allow', Action: '*', Resource: '*' },
      { Effect: 'Deny', NotAction: 'dynamodb:Get*', Resource: table },
      { Effect: 'Deny', Action: 'sqs:*', NotResource: 'arn:aws:sqs:*:*:mine' },
    ]);
    expect(policy('dynamodb:GetItem', table)).toBe('allowed');
    expect(policy('dynamodb:PutItem', table)).toBe('explicitly denied');
    expect(policy('sqs:SendMessage', 'arn:aws:sqs:us-east-1:1:mine')).toBe('allowed');
    expect(policy('sqs:SendMessage', 'arn:aws:sqs:us-east-1:1:yours')).toBe('explicitly denied');
  });

  it('takes characters that mean something to a regular expression literally', () => {
    const policy = compilePolicy([{ Effect: 'Allow', Action: 's:a', Resource: 'arn:x:a.b+c(d)' }]);
    expect(policy('s:a', 'arn:x:a.b+c(d)')).toBe('allowed');
    expect(policy('s:a', 'arn:x:aXb+c(d)')).toBe('not allowed');
  });

  it('heeds the conditions of each request, also after it has decided on another', () => {
    const role = 'arn:aws:iam::000000000000:role/schedules';
    const passing = { Action: 'iam:PassRole', Resource: role };
    const to = (service: string) => ({ 'iam:PassedToService': service });
    const condition = { StringEquals: to('scheduler.amazonaws.com') };
    const policy = compilePolicy([{ Effect: 'Allow', ...passing, Condition: condition }]);
    expect(policy('iam:PassRole', role, to('scheduler.amazonaws.com'))).toBe('allowed');
    expect(policy('iam:PassRole', role, to('lambda.amazonaws.com'))).toBe('not allowed');
    expect(policy('iam:PassRole', role)).toBe('not allowed');
    const denying = compilePolicy([
      { Effect: 'Allow', Action: '*', Resource: '*' },
      { Effect: 'Deny', ...passing, Condition: condition },
    ]);
    expect(denying('iam:PassRole', role, to('scheduler.amazonaws.com'))).toBe('explicitly denied');
    expect(denying('iam:PassRole', role)).toBe('allowed');
  });

  it('rejects anything that it would have to guess', () => {
    const statement = { Effect: 'Allow', Action: '*', Resource: '*' } as const;
    expect(() => compilePolicy([{ ...statement, Condition: { StringEquals: {} } }])).toThrow('empty block');
    expect(() => compilePolicy([{ ...statement, Resource: 'arn:${aws:username}' }])).toThrow('variables');
  });
});
