import { describe, expect, it } from '@jest/globals';
import { compileCondition, type RequestContext } from './conditions.ts';

const group = 'arn:aws:scheduler:us-east-1:000000000000:schedule-group/prod-deliveries';
const context: RequestContext = { 'aws:SourceAccount': '000000000000', 'aws:SourceArn': group };
const isMet = (block: unknown, contextValues = context) => compileCondition(block)(contextValues);

describe('an IAM condition', () => {
  it('holds when all of its keys hold, each for one of its values', () => {
    expect(isMet(undefined)).toBe(true);
    expect(isMet({ StringEquals: { 'aws:SourceAccount': '000000000000' } })).toBe(true);
    expect(isMet({ StringEquals: { 'aws:SourceAccount': ['1', '000000000000'] } })).toBe(true);
    expect(isMet({ StringEquals: { 'aws:SourceAccount': '1' }, ArnLike: { 'aws:SourceArn': group } })).toBe(
      false,
    );
    expect(isMet({ StringEquals: { 'aws:SourceAccount': '000000000000', 'iam:PassedToService': 'x' } })).toBe(
      false,
    );
  });

  it('fails for a key that the request lacks', () => {
    expect(isMet({ StringEquals: { 'aws:SourceAccount': '000000000000' } }, {})).toBe(false);
    expect(isMet({ ArnLike: { 'aws:SourceArn': '*:*:*:*:*:*' } }, {})).toBe(false);
  });

  it('compares text by its case and names of keys without', () => {
    const passed: RequestContext = { 'iam:PassedToService': 'scheduler.amazonaws.com' };
    expect(isMet({ StringEquals: { 'IAM:passedtoservice': 'scheduler.amazonaws.com' } }, passed)).toBe(true);
    expect(isMet({ StringEquals: { 'iam:PassedToService': 'Scheduler.amazonaws.com' } }, passed)).toBe(false);
    expect(isMet({ StringEquals: { 'iam:PassedToService': 'scheduler.*' } }, passed)).toBe(false);
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
