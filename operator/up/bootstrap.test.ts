import { describe, expect, it } from '@jest/globals';
import { neededRights } from './bootstrap.ts';

const caller = { partition: 'aws', accountId: '123456789012' };
const policy = (name: string) => `arn:aws:iam::123456789012:policy/${name}`;
const ADMINISTRATOR = 'arn:aws:iam::aws:policy/AdministratorAccess';
const OWN = 'Inference-test-execution-eu-central-1';

const rightsFor = (
  executionPolicies?: readonly string[],
  bootstrap: 'scoped' | 'administrator' = 'scoped',
) => {
  const found = executionPolicies && { version: 99, executionPolicies };
  const { policies, bootstraps, lines } = neededRights(
    { stage: 'test', bootstrap },
    caller,
    new Map([['eu-central-1', found]]),
  );
  return {
    policies: policies.map(({ name }) => name),
    bootstrap: bootstraps.map(({ policies: given }) => given),
    warns: lines.some((line) => line.includes('is an administrator')),
  };
};

describe('the rights of a deployment', () => {
  const scoped = ['Inference-test-boundary', OWN];

  it('equal those of the stage in an account without a bootstrap', () => {
    expect(rightsFor()).toEqual({ policies: scoped, bootstrap: [[policy(OWN)]], warns: false });
  });

  it('stay sufficient after a bootstrap with them', () => {
    expect(rightsFor([policy(OWN)])).toEqual({ policies: scoped, bootstrap: [], warns: false });
  });

  it('extend those of other stages', () => {
    const others = [policy('Inference-prod-execution-eu-central-1'), policy('company')];
    expect(rightsFor(others).bootstrap).toEqual([[...others, policy(OWN)]]);
  });

  it('leave an administrator in place for other apps, with a warning, and limit the roles', () => {
    const rights = { policies: ['Inference-test-boundary'], bootstrap: [], warns: true };
    expect(rightsFor([ADMINISTRATOR])).toEqual(rights);
  });

  it('equal those of an administrator if the setting says so, with a warning', () => {
    expect(rightsFor(undefined, 'administrator')).toEqual({ policies: [], bootstrap: [[]], warns: true });
    expect(rightsFor([ADMINISTRATOR], 'administrator')).toEqual({ policies: [], bootstrap: [], warns: true });
  });

  it('fail by the setting if the bootstrap has the policies of stages alone', () => {
    const other = policy('Inference-prod-execution-eu-central-1');
    for (const policies of [[policy(OWN)], [other, policy(OWN)]])
      expect(() => rightsFor(policies, 'administrator')).toThrow(
        'the bootstrap in eu-central-1 limits CloudFormation: bootstrap with AdministratorAccess first',
      );
    for (const policies of [[policy(OWN), ADMINISTRATOR], [policy('company')]])
      expect(rightsFor(policies, 'administrator').bootstrap).toEqual([]);
  });

  it('fail with an eleventh policy of the role of CloudFormation, which IAM rejects', () => {
    const others = Array.from({ length: 10 }, (_, at) => policy(`Inference-s${at}-execution-eu-central-1`));
    expect(() => rightsFor(others)).toThrow('the bootstrap in eu-central-1 has 10 policies of 10: delete');
    expect(rightsFor(others.slice(1)).bootstrap).toEqual([[...others.slice(1), policy(OWN)]]);
  });

  it('cover each region with a policy of its own', () => {
    const regions = new Map([
      ['eu-central-1', undefined],
      ['us-east-1', { version: 99, executionPolicies: [policy(OWN)] }],
    ]);
    const { policies, bootstraps } = neededRights({ stage: 'test', bootstrap: 'scoped' }, caller, regions);
    const edge = 'Inference-test-execution-us-east-1';
    expect(policies.map(({ name }) => name)).toEqual([...scoped, edge]);
    expect(bootstraps.map(({ policies: given }) => given)).toEqual([
      [policy(OWN)],
      [policy(OWN), policy(edge)],
    ]);
  });
});
