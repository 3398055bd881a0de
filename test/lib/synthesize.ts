/** A process that synthesizes the app with placeholder bundles: `node synthesize.ts <settings as JSON> <outdir>`. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../lib/app.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { writePlaceholderBundles } from './functions.ts';

const [settings = '{}', outdir = 'cdk.out'] = process.argv.slice(2);
const bundles = mkdtempSync(join(tmpdir(), 'placeholder-bundles-'));
try {
  writePlaceholderBundles(bundles);
  buildApp(parseConfig(JSON.parse(settings)), bundles, outdir).synth();
} finally {
  rmSync(bundles, { recursive: true, force: true });
}
