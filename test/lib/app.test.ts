import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from '@jest/globals';
import { Stack } from 'aws-cdk-lib';
import { Template as CdkTemplate } from 'aws-cdk-lib/assertions';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { buildApp } from '../../lib/app.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { FUNCTIONS, writePlaceholderBundles } from './functions.ts';
import { permissionsOf } from './permissions.ts';
import {
  SERVICE_STACKS,
  STACK_NAMES,
  SynthesizedApp,
  templatesOf,
  temporaryFolder,
} from './synthesized-app.ts';

/** CloudFormation's limit is 500 a stack; a stack that comes near it wants splitting before it gets there. */
const MAX_RESOURCES = 450;

const ROOT = join(import.meta.dirname, '..', '..');
const app = new SynthesizedApp();

function placeholderBundles(): string {
  const folder = temporaryFolder();
  writePlaceholderBundles(folder);
  return folder;
}

afterEach(() => {
  delete process.env.CDK_CONTEXT_JSON;
});

/** The app as the CDK CLI synthesizes it: with the feature flags of `cdk.json`. */
function underCli(): SynthesizedApp {
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: object };
  process.env.CDK_CONTEXT_JSON = JSON.stringify(context);
  return new SynthesizedApp();
}

describe('the app', () => {
  it('is the same each time it is synthesized', () => {
    const outdir = temporaryFolder();
    buildApp(parseConfig({}), placeholderBundles(), outdir).synth();
    expect(templatesOf(outdir, 'prod')).toEqual(app.templates);
  });

  it('fails to synthesize when a resource breaks a rule of AWS Solutions', () => {
    const unsafe = buildApp(parseConfig({}), placeholderBundles(), temporaryFolder());
    const stack = new Stack(unsafe, 'Unsafe');
    new Bucket(stack, 'Open');
    expect(() => CdkTemplate.fromStack(stack)).toThrow(/AwsSolutions-S1/);
  });

  it('grants the same under the feature flags of the CDK CLI as without them', () => {
    const deployed = underCli();
    for (const stack of SERVICE_STACKS) {
      const roles = app.resources(stack, 'AWS::IAM::Role').map(([id]) => id);
      expect(deployed.resources(stack, 'AWS::IAM::Role').map(([id]) => id)).toEqual(roles);
      for (const role of roles)
        expect([role, permissionsOf(deployed, stack, role)]).toEqual([role, permissionsOf(app, stack, role)]);
    }
  });

  it('stays well below the resources that CloudFormation takes in a stack', () => {
    const counts = STACK_NAMES.map(
      (stack) => [stack, Object.keys(app.templates[stack].Resources).length] as const,
    );
    console.info(
      `resources of 500 a stack: ${counts.map(([stack, count]) => `${stack} ${count}`).join(', ')}`,
    );
    for (const [stack, count] of counts) expect([stack, count <= MAX_RESOURCES]).toEqual([stack, true]);
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
    expect(assets).toHaveLength(FUNCTIONS.length);
    const files = assets.flatMap((asset) => readdirSync(join(app.outdir, asset)));
    expect(files.toSorted()).toEqual(['host.mjs', ...FUNCTIONS.map(() => 'index.mjs')]);
  });
});
