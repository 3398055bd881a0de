/**
 * A process that synthesizes every configuration of the tests with placeholder bundles: `node synthesize.ts <folder>`;
 * with names behind the folder, only those configurations, and not the app that breaks rules.
 * One process, because loading the CDK takes longer than a synthesis; outside of jest, which loads it slower still.
 */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Bucket } from 'aws-cdk-lib/aws-s3';
import { buildApp } from '../../lib/app.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { UNSAFE_FILE } from './assemblies.ts';
import { CONFIGURATIONS } from './configurations.ts';
import { writePlaceholderBundles } from './functions.ts';

const [folder = '.', ...names] = process.argv.slice(2);
const bundles = join(folder, 'placeholder-bundles');
mkdirSync(bundles);
writePlaceholderBundles(bundles);

for (const [name, settings] of Object.entries(CONFIGURATIONS)) {
  if (names.length > 0 && !names.includes(name)) continue;
  // Where the CDK CLI leaves the context of `cdk.json` for the app.
  if (name.endsWith('-flags')) process.env.CDK_CONTEXT_JSON = JSON.stringify(cliContext());
  else delete process.env.CDK_CONTEXT_JSON;
  buildApp(parseConfig(settings), bundles, join(folder, name)).synth();
}
if (names.length === 0) writeFileSync(join(folder, UNSAFE_FILE), unsafeMessage());

function cliContext(): object {
  const file = join(import.meta.dirname, '..', '..', 'cdk.json');
  return (JSON.parse(readFileSync(file, 'utf8')) as { readonly context: object }).context;
}

function unsafeMessage(): string {
  const outdir = join(folder, 'unsafe');
  const unsafe = buildApp(parseConfig({}), bundles, outdir);
  new Bucket(new Stack(unsafe, 'Unsafe'), 'Open');
  try {
    unsafe.synth();
    return '';
  } catch (error) {
    return `${error}\n${readFileSync(join(outdir, 'validation-report.json'), 'utf8')}`;
  }
}
