import { describe, expect, it } from '@jest/globals';
import type { PolicyStatement } from '../../assembly/roles.ts';
import { compilePolicy } from './policy.ts';

const table = 'arn:aws:dynamodb:us-east-1:000000000000:table/Things';

const get = [{ Effect: 'Allow', Action: 'dynamodb:GetItem', Resource: table }] as const;
const wild = [
  { Effect: 'Allow', Action: ['dynamodb:batch*', 'dynamodb:?etItem'], Resource: `${table}*` },
] as const;
const denying = [
  { Effect: 'Allow', Action: '*', Resource: '*' },
  { Effect: 'Deny', NotAction: 'dynamodb:Get*', Resource: table },
  { Effect: 'Deny', Action: 'sqs:*', NotResource: 'arn:aws:sqs:*:*:mine' },
] as const;
const literal = [{ Effect: 'Allow', Action: 's:a', Resource: 'arn:x:a.b+c(d)' }] as const;

describe('a policy', () => {
  it.each<readonly [string, readonly PolicyStatement[], string, string, string]>([
    ['allows what it names', get, 'dynamodb:GetItem', table, 'allowed'],
    ['allows no other action', get, 'dynamodb:PutItem', table, 'not allowed'],
    ['allows no part', get, 'dynamodb:GetItem', `${table}/index/by-owner`, 'not allowed'],
    ['allows no longer name', get, 'dynamodb:GetItem', `${table}2`, 'not allowed'],
    ['reads wildcards', wild, 'dynamodb:GetItem', table, 'allowed'],
    ['ignores the case of actions', wild, 'dynamodb:BatchGetItem', `${table}/index/x`, 'allowed'],
    ['heeds the case of resources', wild, 'dynamodb:GetItem', table.toLowerCase(), 'not allowed'],
    ['denies no excepted action', denying, 'dynamodb:GetItem', table, 'allowed'],
    ['lets a deny win', denying, 'dynamodb:PutItem', table, 'explicitly denied'],
    ['denies no excepted resource', denying, 'sqs:SendMessage', 'arn:aws:sqs:us-east-1:1:mine', 'allowed'],
    ['denies others', denying, 'sqs:SendMessage', 'arn:aws:sqs:us-east-1:1:yours', 'explicitly denied'],
    ['takes other characters literally', literal, 's:a', 'arn:x:a.b+c(d)', 'allowed'],
    ['takes a dot literally', literal, 's:a', 'arn:x:aXb+c(d)', 'not allowed'],
  ])('%s', (_, statements, action, resource, decision) => {
    expect(compilePolicy(statements)(action, resource)).toBe(decision);
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
    const forbidding = compilePolicy([
      { Effect: 'Allow', Action: '*', Resource: '*' },
      { Effect: 'Deny', ...passing, Condition: condition },
    ]);
    expect(forbidding('iam:PassRole', role, to('scheduler.amazonaws.com'))).toBe('explicitly denied');
    expect(forbidding('iam:PassRole', role)).toBe('allowed');
  });

  it('rejects anything that it would have to guess', () => {
    expect(() => compilePolicy([{ ...get[0], Resource: 'arn:${aws:username}' }])).toThrow('variables');
  });
});
