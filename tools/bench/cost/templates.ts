/** The templates of the app; importing this module loads the CDK. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../../lib/app.ts';
import { parseConfig } from '../../../lib/config/config.ts';
import { GRANTS } from '../../../lib/config/grants.ts';
import type { CostTemplate } from './fixtures.ts';

/** Synthesizes the app with its default settings and with empty bundles, which count for nothing here. */
export function synthesizedTemplates(): readonly CostTemplate[] {
  const folder = mkdtempSync(join(tmpdir(), 'cost-'));
  try {
    const bundles = join(folder, 'bundles');
    for (const name of Object.keys(GRANTS)) {
      mkdirSync(join(bundles, name), { recursive: true });
      writeFileSync(join(bundles, name, 'index.mjs'), '');
    }
    const { stacks } = buildApp(parseConfig({}), bundles, join(folder, 'cdk.out')).synth();
    return stacks.map(({ template }) => template as CostTemplate);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
