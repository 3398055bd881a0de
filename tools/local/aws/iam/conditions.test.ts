import { describe, expect, it } from '@jest/globals';
import { compileCondition, type RequestContext } from './conditions.ts';

const group = 'arn:aws:scheduler:us-east-1:000000000000:schedule-group/prod-deliveries';
const context: RequestContext = { 'aws:SourceAccount': '000000000000', 'aws:SourceArn': group };
const isMet = (block: unknown, values = context) => compileCondition(block)(values);
const passed: RequestContext = { 'iam:PassedToService': 'scheduler.amazonaws.com' };

describe('an IAM condition', () => {
  it.each<readonly [string, boolean, unknown, RequestContext?]>([
    ['there is none', true, undefined],
    ['its key has its value', true, { StringEquals: { 'aws:SourceAccount': '000000000000' } }],
    ['its key has one of its values', true, { StringEquals: { 'aws:SourceAccount': ['1', '000000000000'] } }],
    [
      'one of its operators fails',
      false,
      { StringEquals: { 'aws:SourceAccount': '1' }, ArnLike: { 'aws:SourceArn': group } },
    ],
    [
      'one of its keys fails',
      false,
      { StringEquals: { 'aws:SourceAccount': '000000000000', 'iam:PassedToService': 'x' } },
    ],
    ['the request lacks its key', false, { ArnLike: { 'aws:SourceArn': '*:*:*:*:*:*' } }, {}],
    [
      'its key has another case',
      true,
      { StringEquals: { 'IAM:passedtoservice': passed['iam:PassedToService'] } },
      passed,
    ],
    [
      'its text has another case',
      false,
      { StringEquals: { 'iam:PassedToService': 'Scheduler.amazonaws.com' } },
      passed,
    ],
    ['its text has a wildcard', false, { StringEquals: { 'iam:PassedToService': 'scheduler.*' } }, passed],
  ])('decides if %s: %s', (_, expected, block, values = context) => {
    expect(isMet(block, values)).toBe(expected);
  });

  it.each([
    [['mark', 'id'], true],
    [['id'], false],
    [[], false],
  ])('holds if any of a request’s attributes has the value: %j', (attributes, expected) => {
    const block = { 'ForAnyValue:StringEquals': { 'dynamodb:Attributes': ['mark'] } };
    expect(isMet(block, { 'dynamodb:Attributes': attributes })).toBe(expected);
  });

  it.each(['ArnLike', 'ArnEquals'])('reads wildcards within the parts of an ARN: %s', (operator) => {
    const like = (pattern: string) => isMet({ [operator]: { 'aws:SourceArn': pattern } });
    expect(like(group)).toBe(true);
    expect(like('arn:aws:scheduler:*:000000000000:schedule-group/prod-*')).toBe(true);
    expect(like('arn:aws:scheduler:us-east-?:*:*')).toBe(true);
    expect(like('arn:aws:scheduler:*')).toBe(false);
    expect(like('arn:*:schedule-group/prod-deliveries')).toBe(false);
    expect(like(group.replace('prod', 'test'))).toBe(false);
  });

  it.each([
    [{ StringLike: { 'aws:SourceArn': '*' } }, 'the operator StringLike'],
    [{ StringEqualsIfExists: { 'aws:SourceArn': '*' } }, 'the operator StringEqualsIfExists'],
    [{ StringEquals: { 'aws:PrincipalTag/team': 'a' } }, 'the key aws:PrincipalTag/team'],
    [{ StringEquals: { 'aws:SourceAccount': '${aws:PrincipalAccount}' } }, 'the policy variable'],
    [{ StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } } }, 'the value'],
    [{ StringEquals: {} }, 'an empty block'],
    [[], 'its form'],
  ])('causes an error at its compilation if a part is unknown: %j', (block, what) => {
    expect(() => compileCondition(block)).toThrow(what);
  });
});
