import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FUNCTION_FILE_BYTES, TRANSCRIPTION_FILE_BYTES } from '../../lambdas/contract/limits.ts';
import { assemblyOf } from './assemblies.ts';
import type { Template } from './synthesized-app.ts';

// Synthesis throws when a check of cdk-nag fails.
const assembly = assemblyOf('web-function-ingress');
const templateOf = (name: string, from = assembly) =>
  JSON.parse(readFileSync(join(from, `Inference-prod-${name}.template.json`), 'utf8')) as Template;

const ingress = templateOf('ingress');
const only = (template: Template, type: string) => {
  const [found, ...others] = Object.values(template.Resources).filter(({ Type }) => Type === type);
  if (found === undefined || others.length > 0) throw new Error(`not one ${type}`);
  return found.Properties;
};

interface Behaviour {
  readonly TargetOriginId: string;
  readonly PathPattern?: string;
  readonly AllowedMethods: readonly string[];
  readonly ViewerProtocolPolicy: string;
}

interface DistributionConfig {
  readonly DefaultCacheBehavior: Behaviour;
  readonly CacheBehaviors: readonly Behaviour[];
  readonly Origins: readonly {
    readonly Id: string;
    readonly OriginPath?: string;
    readonly VpcOriginConfig?: object;
  }[];
}

describe('the ingress', () => {
  it('is one hostname: uploads go to their host, everything else to the API’s stage', () => {
    const { DistributionConfig: config } = only(ingress, 'AWS::CloudFront::Distribution') as {
      readonly DistributionConfig: DistributionConfig;
    };
    const { DefaultCacheBehavior: rest, CacheBehaviors: special, Origins: origins } = config;
    const origin = (id: string) => origins.find(({ Id }) => Id === id);
    expect(origin(rest.TargetOriginId)).toMatchObject({ OriginPath: '/prod' });
    expect(special.map(({ PathPattern: path }) => path)).toEqual(['/v1/audio/transcriptions']);
    expect(origin(special[0]?.TargetOriginId ?? '')).not.toHaveProperty('OriginPath');
    for (const behaviour of [rest, ...special]) {
      expect(behaviour.AllowedMethods).toContain('POST');
      expect(behaviour.ViewerProtocolPolicy).toBe('https-only');
    }
  });

  it('runs the host’s program in the function’s own role, with as many uploads at once as its disk holds', () => {
    const revision = only(ingress, 'AWS::Lambda::WebFunctionRevision');
    const text = JSON.stringify(revision);
    expect(text).toContain('host.mjs');
    expect(text).toContain('SETTLEMENT_WORKFLOW');
    expect(text).toContain('createtranscriptionRole');
    const [, uploads = '0'] = /"[A-Za-z]*Concurren[A-Za-z]*":"?(\d+)/.exec(text) ?? [];
    expect(Number(uploads)).toBeGreaterThan(0);
    expect(Number(uploads) * TRANSCRIPTION_FILE_BYTES).toBeLessThan(512 * 1024 * 1024);
    expect(FUNCTION_FILE_BYTES).toBeLessThan(TRANSCRIPTION_FILE_BYTES);
  });

  it('refers to other stacks by imports alone, also where the construct repeats its configuration', () => {
    const ids = new Set(Object.keys(ingress.Resources));
    const known = (name: string) => ids.has(name) || name.startsWith('AWS::') || name === 'BootstrapVersion';
    const references = [...JSON.stringify(ingress.Resources).matchAll(/"Ref":"([^"]+)"/g)].map(
      ([, name = '']) => name,
    );
    expect(references.filter((name) => !known(name))).toEqual([]);
  });

  it('leaves the API its limit by address: the caller’s where the edge forwards it, else the connection’s', () => {
    const { Rules: rules } = only(templateOf('inference'), 'AWS::WAFv2::WebACL') as {
      readonly Rules: readonly { readonly Statement: { readonly RateBasedStatement: object } }[];
    };
    expect(rules.map(({ Statement }) => Statement.RateBasedStatement)).toMatchObject([
      { AggregateKeyType: 'IP', ScopeDownStatement: { NotStatement: expect.anything() } },
      { AggregateKeyType: 'FORWARDED_IP', ForwardedIPConfig: { HeaderName: 'x-viewer-ip' } },
    ]);
    const [code] = Object.values(ingress.Resources).filter(
      ({ Type }) => Type === 'AWS::CloudFront::Function',
    );
    expect(String(code?.Properties.FunctionCode)).toContain(
      "headers['x-viewer-ip'] = { value: event.viewer.ip }",
    );
  });

  it('is absent by default', () => {
    expect(readdirSync(assembly)).toContain('Inference-prod-ingress.template.json');
    expect(readdirSync(assemblyOf('standard'))).not.toContain('Inference-prod-ingress.template.json');
  });
});

describe('the ingress on Fargate', () => {
  const onFargate = assemblyOf('fargate-ingress');
  const service = templateOf('ingress', onFargate);
  const text = JSON.stringify(service);

  it('is the same hostname, with the tasks behind a VPC origin', () => {
    const { DistributionConfig: config } = only(service, 'AWS::CloudFront::Distribution') as {
      readonly DistributionConfig: DistributionConfig;
    };
    const [uploads] = config.CacheBehaviors;
    expect(uploads?.PathPattern).toBe('/v1/audio/transcriptions');
    const behind = config.Origins.filter(({ VpcOriginConfig }) => VpcOriginConfig !== undefined);
    expect(behind.map(({ Id }) => Id)).toEqual([uploads?.TargetOriginId]);
    expect(only(service, 'AWS::CloudFront::VpcOrigin')).toMatchObject({
      VpcOriginEndpointConfig: { OriginProtocolPolicy: 'http-only' },
    });
  });

  it('runs two arm64 tasks or more, each with time to end its uploads, and rolls a bad deployment back', () => {
    expect(only(service, 'AWS::ECS::Service')).toMatchObject({
      ServiceName: 'prod-uploads',
      DesiredCount: 2,
      DeploymentConfiguration: { DeploymentCircuitBreaker: { Enable: true, Rollback: true } },
    });
    expect(only(service, 'AWS::ECS::TaskDefinition')).toMatchObject({
      RuntimePlatform: { CpuArchitecture: 'ARM64' },
      ContainerDefinitions: [{ StopTimeout: 120, PortMappings: [{ ContainerPort: 8080 }] }],
    });
    expect(text).toContain('SETTLEMENT_WORKFLOW');
  });

  it('acts in the function’s own role, which the tasks alone may take on beside it', () => {
    const { TaskRoleArn: role } = only(service, 'AWS::ECS::TaskDefinition');
    expect(JSON.stringify(role)).toContain('createtranscriptionRole');
    const trusting = Object.entries(templateOf('inference', onFargate).Resources).filter(
      ([, { Properties }]) => JSON.stringify(Properties).includes('ecs-tasks.amazonaws.com'),
    );
    expect(trusting.map(([id]) => id.replace(/[0-9A-F]{8}$/, ''))).toEqual(['createtranscriptionRole']);
  });

  it('is reached from within its network alone', () => {
    expect(only(service, 'AWS::ElasticLoadBalancingV2::LoadBalancer')).toMatchObject({ Scheme: 'internal' });
    const rules = Object.values(service.Resources).flatMap(({ Type, Properties }) =>
      Type === 'AWS::EC2::SecurityGroup'
        ? ((Properties.SecurityGroupIngress as object[] | undefined) ?? [])
        : [],
    );
    expect(rules).toMatchObject([{ CidrIp: '10.0.0.0/16', FromPort: 80, ToPort: 80 }]);
  });

  it('has an alarm for the time when no task runs', () => {
    const alarm = Object.values(templateOf('operations', onFargate).Resources).find(
      ({ Properties }) => Properties.AlarmName === 'prod/upload-tasks-missing',
    );
    expect(alarm?.Properties).toMatchObject({ Threshold: 1, TreatMissingData: 'breaching' });
    expect(JSON.stringify(alarm)).toContain('RunningTaskCount');
    expect(JSON.stringify(alarm)).toContain('{"Name":"ServiceName","Value":"prod-uploads"}');
  });
});
