import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { FUNCTION_FILE_BYTES, TRANSCRIPTION_FILE_BYTES } from '../../lambdas/contract/limits.ts';
import { buildApp } from '../../lib/app.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { placeholderBundles, type Template, temporaryFolder } from './synthesized-app.ts';

const bundles = placeholderBundles();
writeFileSync(join(bundles, 'create-transcription', 'host.mjs'), 'host');
// Synthesis throws when a check of cdk-nag fails.
const assembly = buildApp(parseConfig({ ingress: 'web-function' }), bundles, temporaryFolder()).synth();
const templateOf = (name: string) => assembly.getStackByName(`Inference-prod-${name}`).template as Template;

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
  readonly Origins: readonly { readonly Id: string; readonly OriginPath?: string }[];
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

  it('leaves the API its limit by address: the caller’s where the edge tells it, else the connection’s', () => {
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
    const stacks = buildApp(parseConfig({}), bundles, temporaryFolder()).synth().stacks;
    expect(stacks.map(({ stackName }) => stackName)).not.toContain('Inference-prod-ingress');
  });
});
