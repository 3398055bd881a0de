import { describe, expect, it } from '@jest/globals';
import type { ConfigurationName } from '../configurations.ts';
import { STACK_NAMES, SynthesizedApp } from '../synthesized-app.ts';
import { distributionOf } from './distributions.ts';
import { countedBy } from './web-acl.ts';

/** Returns the reference that CloudFormation replaces by the value of a secret. */
const secretOf = (generation: number) => `{{resolve:secretsmanager:prod/edge/${generation}:SecretString:::}}`;
const SECRET = secretOf(1);

describe.each<ConfigurationName>(['web-function-ingress', 'fargate-ingress', 'fargate'])(
  'the limit by address behind CloudFront under %s',
  (name) => {
    const app = new SynthesizedApp(name);

    it('counts the caller’s address where the edge forwards it, else the connection’s', () => {
      expect(countedBy(app, { 'x-origin-secret': SECRET, 'x-viewer-ip': '192.0.2.1' })).toEqual([
        'x-viewer-ip',
      ]);
      expect(countedBy(app, {})).toEqual(['connection']);
      const { FunctionCode: code } = app.only('ingress', 'AWS::CloudFront::Function').Properties;
      expect(String(code)).toContain("headers['x-viewer-ip'] = { value: event.viewer.ip }");
    });

    it.each([
      ['without the secret', {}],
      ['with an empty one', { 'x-origin-secret': '' }],
      ['with another one', { 'x-origin-secret': 'guessed' }],
      ['with a part of it', { 'x-origin-secret': SECRET.slice(0, -1) }],
      ['with more than it', { 'x-origin-secret': `${SECRET}, ${SECRET}` }],
      ['with it in other letters', { 'x-origin-secret': SECRET.toUpperCase() }],
      ['with it in another header', { 'x-origin-secrets': SECRET }],
    ])('believes no forged address %s', (_what, headers) => {
      expect(countedBy(app, { 'x-viewer-ip': '192.0.2.1', ...headers })).toEqual(['connection']);
    });

    it('recognizes the edge by a generated secret, which no role can read', () => {
      const { Name: secretName, GenerateSecretString: generated } = app.only(
        'inference',
        'AWS::SecretsManager::Secret',
      ).Properties;
      expect([secretName, generated]).toEqual([
        'prod/edge/1',
        { PasswordLength: 64, ExcludePunctuation: true },
      ]);
      for (const stack of [...STACK_NAMES, 'ingress'] as const)
        for (const type of ['AWS::IAM::Policy', 'AWS::IAM::Role'])
          expect(JSON.stringify(app.resources(stack, type))).not.toContain('/edge/');
    });

    it('shows it to all that has a web ACL before it, and to no other', () => {
      const shown = distributionOf(app).Origins.map(
        ({ OriginPath: path, VpcOriginConfig: inVpc, OriginCustomHeaders: headers = [] }) => {
          const isProtected = path !== undefined || inVpc !== undefined;
          return [isProtected, headers];
        },
      );
      expect(shown.length).toBeGreaterThan(1);
      for (const [isProtected, headers] of shown)
        expect(headers).toEqual(isProtected ? [{ HeaderName: 'x-origin-secret', HeaderValue: SECRET }] : []);
    });
  },
);

describe('another generation of the secret of the edge', () => {
  const app = new SynthesizedApp('fargate-sized');

  it('applies at once, and the previous one stays valid until the next', () => {
    const headers = distributionOf(app).Origins.flatMap((origin) => origin.OriginCustomHeaders ?? []);
    expect(new Set(headers.map(({ HeaderValue: value }) => value))).toEqual(new Set([secretOf(3)]));
    for (const generation of [2, 3])
      expect(countedBy(app, { 'x-origin-secret': secretOf(generation) })).toEqual(['x-viewer-ip']);
    for (const generation of [1, 4])
      expect(countedBy(app, { 'x-origin-secret': secretOf(generation) })).toEqual(['connection']);
  });
});

describe('a deployment without CloudFront', () => {
  it('creates no secret, and counts every request by the address of its connection', () => {
    const app = new SynthesizedApp();
    expect(app.resources('inference', 'AWS::SecretsManager::Secret')).toEqual([]);
    expect(countedBy(app, { 'x-viewer-ip': '192.0.2.1' })).toEqual(['connection']);
  });
});

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
});
