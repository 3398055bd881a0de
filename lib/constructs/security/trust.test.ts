import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../../../test/template/configurations.ts';
import { STACK_NAMES, SynthesizedApp } from '../../../test/template/synthesized-app.ts';

interface TrustStatement {
  readonly Principal: { readonly Service?: string };
  readonly Condition?: object;
}

/**
 * Services whose documentation does not say that they name to STS what they take a role for, so that a condition would lock
 * them out: Lambda, API Gateway's one role of an account for its logs, and Backup.
 */
const SILENT = ['lambda.amazonaws.com', 'apigateway.amazonaws.com', 'backup.amazonaws.com'];

describe.each<ConfigurationName>(['standard', 'every-setting', 'fargate', 'fargate-ingress'])(
  'the roles of services under %s',
  (name) => {
    const app = new SynthesizedApp(name);
    const trusted = [...STACK_NAMES, 'ingress' as const].flatMap((stack) =>
      app
        .resources(stack, 'AWS::IAM::Role')
        .flatMap(([id, { Properties }]) =>
          (Object(Properties.AssumeRolePolicyDocument).Statement as TrustStatement[]).map(
            (statement) => [`${stack} ${id}`, statement] as const,
          ),
        ),
    );

    it('trust their service only for this account and for the resource that the service acts for', () => {
      const bound = trusted.filter(([, { Principal }]) => !SILENT.includes(Principal.Service ?? ''));
      expect(bound.length).toBeGreaterThanOrEqual(4);
      for (const [role, { Condition: condition }] of bound)
        expect([role, condition]).toEqual([
          role,
          {
            StringEquals: { 'aws:SourceAccount': { Ref: 'AWS::AccountId' } },
            ArnLike: { 'aws:SourceArn': expect.anything() },
          },
        ]);
    });

    it('set no condition that would lock out a silent service', () => {
      const silent = trusted.filter(([, { Principal }]) => SILENT.includes(Principal.Service ?? ''));
      expect(silent.filter(([, { Condition: condition }]) => condition !== undefined)).toEqual([]);
    });
  },
);
