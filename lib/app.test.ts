import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { assemblyOf, unsafeMessage } from '../test/template/assemblies.ts';
import { CONFIGURATIONS, type ConfigurationName } from '../test/template/configurations.ts';
import { CONSUMER_NAMES, ENDPOINTS } from '../test/template/functions.ts';
import { permissionsOf } from '../test/template/permissions.ts';
import { SERVICE_STACKS, STACK_NAMES, SynthesizedApp } from '../test/template/synthesized-app.ts';

/** CloudFormation's limit is 500 a stack; a stack that comes near it wants splitting before it gets there. */
const MAX_RESOURCES = 450;

const app = new SynthesizedApp();

describe('the app', () => {
  it('yields the same templates on each synthesis', () => {
    expect(new SynthesizedApp('again').templates).toEqual(app.templates);
  });

  it('fails to synthesize when a resource breaks a rule of AWS Solutions', () => {
    expect(unsafeMessage()).toMatch(/AwsSolutions-S1\b/);
  });

  it('grants the same under the feature flags of the CDK CLI as without them', () => {
    const deployed = new SynthesizedApp('feature-flags');
    for (const stack of SERVICE_STACKS) {
      const roles = app.resources(stack, 'AWS::IAM::Role').map(([id]) => id);
      expect(roles.length).toBeGreaterThan(10);
      expect(deployed.resources(stack, 'AWS::IAM::Role').map(([id]) => id)).toEqual(roles);
      for (const role of roles)
        expect([role, permissionsOf(deployed, stack, role)]).toEqual([role, permissionsOf(app, stack, role)]);
    }
  });

  it.each(Object.keys(CONFIGURATIONS) as ConfigurationName[])(
    'stays well below the resources that CloudFormation takes in a stack, nested or not: %s',
    (name) => {
      const files = readdirSync(assemblyOf(name)).filter((file) => file.endsWith('.template.json'));
      expect(files.length).toBeGreaterThanOrEqual(STACK_NAMES.length);
      for (const file of files) {
        const { Resources: resources } = JSON.parse(readFileSync(join(assemblyOf(name), file), 'utf8'));
        expect([file, Object.keys(resources).length < MAX_RESOURCES]).toEqual([file, true]);
        // CloudFormation converts none to a global table.
        expect(JSON.stringify(resources)).not.toContain('"AWS::DynamoDB::Table"');
      }
    },
  );

  it('protects the stack of the data from being deleted, and no other', () => {
    const { artifacts } = JSON.parse(readFileSync(join(app.outdir, 'manifest.json'), 'utf8')) as {
      artifacts: Record<string, { type: string; properties: { terminationProtection?: boolean } }>;
    };
    const guarded = Object.entries(artifacts)
      .filter(([, { properties }]) => properties?.terminationProtection === true)
      .map(([name]) => name);
    expect(guarded).toEqual(['Inference-prod-data']);
  });

  it('puts no secret into a template', () => {
    for (const stack of STACK_NAMES) {
      const text = JSON.stringify(app.templates[stack]);
      expect(text).not.toMatch(
        /"SecretString"|\{\{resolve:|AKIA[0-9A-Z]{16}|\bsk-[A-Za-z0-9]{8}|BEGIN [A-Z ]*PRIVATE KEY/,
      );
      const secretive = [...text.matchAll(/"(\w*(?:SECRET|PASSWORD|TOKEN|API_KEY|PEPPER)\w*)":("[^"]*")/g)];
      expect(secretive.map(([, name]) => name)).toEqual([]);
    }
  });

  it('deploys one file a function, the bundle without its source map, and one program for uploads', () => {
    const assets = readdirSync(app.outdir).filter((name) => name.startsWith('asset.'));
    const deployed = [...ENDPOINTS, ...CONSUMER_NAMES];
    expect(assets).toHaveLength(deployed.length);
    const files = assets.flatMap((asset) => readdirSync(join(app.outdir, asset)));
    expect(files.toSorted()).toEqual(['host.mjs', ...deployed.map(() => 'index.mjs')]);
  });
});
