import { describe, expect, it } from '@jest/globals';
import { ROUTES } from '../../../lambdas/app/routes.ts';
import type { ConfigurationName } from '../configurations.ts';
import { SynthesizedApp } from '../synthesized-app.ts';
import { distributionOf, originOf } from './distributions.ts';

/** The default quota of an account, before it was raised to 75 (CloudFront quotas). */
const MAX_BEHAVIORS = 25;

/** A path that a route takes: of a name that may hold slashes, and of an id. */
const example = (path: string): string =>
  path.replaceAll(/\{[^}]+\+\}/g, 'openai/gpt-oss-20b').replaceAll(/\{[^}]+\}/g, 'a1');

/** The origin of the inference API and the origin of its uploads, by configuration. */
const EXPOSED: readonly (readonly [ConfigurationName, string, string])[] = [
  ['fargate', 'tasks', 'tasks'],
  ['web-function-ingress', 'inference/prod', 'web function'],
  ['fargate-ingress', 'inference/prod', 'tasks'],
];

describe.each(EXPOSED)('the one hostname under %s', (name, inference, uploads) => {
  const app = new SynthesizedApp(name);
  const expected = ({ api, endpoint }: (typeof ROUTES)[number]) => {
    if (endpoint === 'create-transcription') return uploads;
    return api === 'inference' ? inference : 'platform/prod';
  };

  it.each(ROUTES.map((route) => [`${route.method} ${route.path}`, route] as const))(
    'routes each path to the service that serves it: %s',
    (_name, route) => {
      expect(originOf(app, example(route.path))).toBe(expected(route));
    },
  );

  it('responds to unknown paths of the inference API in its format, and to all others in that of the platform API', () => {
    expect(originOf(app, '/v1/threads')).toBe(inference);
    expect(originOf(app, '/v2/models')).toBe('platform/prod');
    expect(originOf(app, '/V1/models')).toBe('platform/prod');
    // The health of a host is its balancer's affair.
    expect(originOf(app, '/health/host')).toBe('platform/prod');
  });

  it('accepts every method over HTTPS only, with fewer cache behaviors than the quota of any account', () => {
    const { CacheBehaviors: special, DefaultCacheBehavior: rest } = distributionOf(app);
    expect(special.length + 1).toBeLessThan(MAX_BEHAVIORS);
    for (const behaviour of [rest, ...special]) {
      expect([...behaviour.AllowedMethods].sort()).toEqual(
        ['DELETE', 'GET', 'HEAD', 'OPTIONS', 'PATCH', 'POST', 'PUT'].sort(),
      );
      expect(behaviour.ViewerProtocolPolicy).toBe('https-only');
    }
  });

  it('waits as long for a silent origin as CloudFront does without a raised quota', () => {
    for (const { VpcOriginConfig: inside, CustomOriginConfig: outside } of distributionOf(app).Origins)
      expect(inside ?? outside).toMatchObject({ OriginReadTimeout: 120 });
  });
});

describe('the name of one’s own', () => {
  it('becomes CloudFront’s alias, with the certificate of us-east-1 and at least TLS 1.2', () => {
    const app = new SynthesizedApp('fargate-abroad');
    expect(distributionOf(app)).toMatchObject({
      Aliases: ['ai.example.com'],
      ViewerCertificate: {
        AcmCertificateArn: expect.stringContaining('arn:aws:acm:us-east-1:'),
        MinimumProtocolVersion: 'TLSv1.2_2021',
      },
    });
    expect(app.templates.ingress.Outputs).toMatchObject({
      BaseUrl: { Value: 'https://ai.example.com' },
      DomainTarget: { Value: { 'Fn::GetAtt': [expect.any(String), 'DomainName'] } },
    });
  });

  it('defaults to CloudFront’s hostname if the settings have none', () => {
    const app = new SynthesizedApp('fargate');
    expect(distributionOf(app)).not.toHaveProperty('Aliases');
    expect(JSON.stringify(app.templates.ingress.Outputs.BaseUrl)).toContain('DomainName');
  });
});
