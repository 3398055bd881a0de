import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../configurations.ts';
import { type StackName, SynthesizedApp } from '../synthesized-app.ts';
import { distributionOf } from './distributions.ts';

const rulesOf = (app: SynthesizedApp, stack: StackName) =>
  (
    app.only(stack, 'AWS::WAFv2::WebACL').Properties.Rules as readonly {
      readonly Statement: { readonly RateBasedStatement: object };
    }[]
  ).map(({ Statement }) => Statement.RateBasedStatement);

describe.each<ConfigurationName>(['web-function-ingress', 'fargate-ingress', 'web-function', 'fargate'])(
  'the limit by address behind CloudFront under %s',
  (name) => {
    const app = new SynthesizedApp(name);

    it('counts the caller’s address where the edge forwards it, else the connection’s', () => {
      expect(rulesOf(app, 'inference')).toMatchObject([
        { AggregateKeyType: 'IP', ScopeDownStatement: { NotStatement: expect.anything() } },
        { AggregateKeyType: 'FORWARDED_IP', ForwardedIPConfig: { HeaderName: 'x-viewer-ip' } },
      ]);
      const { FunctionCode: code } = app.only('ingress', 'AWS::CloudFront::Function').Properties;
      expect(String(code)).toContain("headers['x-viewer-ip'] = { value: event.viewer.ip }");
    });
  },
);

describe('the limit by address of the shared host', () => {
  it('stands before the balancer on Fargate, with the APIs’ own web ACL', () => {
    const app = new SynthesizedApp('fargate');
    const { ResourceArn: protectedArn, WebACLArn: acl } = app.only(
      'ingress',
      'AWS::WAFv2::WebACLAssociation',
    ).Properties;
    expect(app.templates.ingress.Resources[app.reference('ingress', protectedArn)?.id ?? '']?.Type).toBe(
      'AWS::ElasticLoadBalancingV2::LoadBalancer',
    );
    expect(app.reference('ingress', acl)).toMatchObject({ stack: 'inference', attribute: 'Arn' });
    expect(distributionOf(app)).not.toHaveProperty('WebACLId');
  });

  it('is CloudFront’s own for a Web Function, which takes none, in us-east-1', () => {
    const app = new SynthesizedApp('web-function');
    const { Properties: acl } = app.only('edge-limit', 'AWS::WAFv2::WebACL');
    expect(acl).toMatchObject({ Scope: 'CLOUDFRONT' });
    expect(rulesOf(app, 'edge-limit')).toEqual([
      { AggregateKeyType: 'IP', Limit: 200, EvaluationWindowSec: 60 },
    ]);
    expect(JSON.stringify(distributionOf(app).WebACLId)).toContain('IpRateLimitAcl');
    expect(app.resources('ingress', 'AWS::WAFv2::WebACLAssociation')).toEqual([]);
  });

  it('needs no second web ACL elsewhere', () => {
    for (const name of ['standard', 'fargate', 'web-function-ingress'] as const)
      expect(new SynthesizedApp(name).templates['edge-limit'].Resources).toEqual({});
  });
});
