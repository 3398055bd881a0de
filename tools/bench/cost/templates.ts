/** The templates of the app; importing this module loads the CDK. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../../lib/app.ts';
import { IMAGE_FILE, PROGRAMS } from '../../../lib/bundle.ts';
import { loadConfig } from '../../../lib/config/config.ts';
import { GRANTS } from '../../../lib/config/grants.ts';
import { readCloudAssembly } from '../../local/assembly/cloud-assembly.ts';
import type { CostTemplate } from './fixtures.ts';

/** Synthesizes the app with the settings of that file, or the default ones, and with empty bundles, which count for nothing here. */
export function synthesizedTemplates(configFile?: string): readonly CostTemplate[] {
  const folder = mkdtempSync(join(tmpdir(), 'cost-'));
  try {
    const bundles = join(folder, 'bundles');
    for (const name of new Set([...Object.keys(GRANTS), ...Object.keys(PROGRAMS)])) {
      mkdirSync(join(bundles, name), { recursive: true });
      writeFileSync(join(bundles, name, name in PROGRAMS ? IMAGE_FILE : 'index.mjs'), '');
    }
    const { directory } = buildApp(loadConfig(configFile), bundles, join(folder, 'cdk.out')).synth();
    // With the nested stacks in the templates of their parents.
    return readCloudAssembly(directory).map(({ template }) => template as CostTemplate);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
