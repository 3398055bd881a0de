/** What a deployment has that costs by the month, counted in its own templates. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildApp } from '../../lib/app.ts';
import { parseConfig } from '../../lib/config/config.ts';
import { GRANTS } from '../../lib/config/grants.ts';
import type { Fixtures } from './model.ts';

interface Template {
  readonly Resources: Readonly<Record<string, { readonly Type: string; readonly Properties?: Properties }>>;
}

interface Properties {
  readonly Metrics?: readonly { readonly MetricStat?: unknown }[];
}

/** Synthesizes the app with empty bundles, which count for nothing here. */
export function synthesizedFixtures(customMetrics: number): Fixtures {
  const folder = mkdtempSync(join(tmpdir(), 'cost-'));
  try {
    const bundles = join(folder, 'bundles');
    for (const name of Object.keys(GRANTS)) {
      mkdirSync(join(bundles, name), { recursive: true });
      writeFileSync(join(bundles, name, 'index.mjs'), '');
    }
    const { stacks } = buildApp(parseConfig({}), bundles, join(folder, 'cdk.out')).synth();
    const resources = stacks.flatMap(({ template }) => Object.values((template as Template).Resources));
    const ofType = (type: string) => resources.filter((resource) => resource.Type === type);
    return {
      alarms: ofType('AWS::CloudWatch::Alarm').reduce((sum, alarm) => sum + metricsIn(alarm.Properties), 0),
      secrets: ofType('AWS::SecretsManager::Secret').length,
      customMetrics,
    };
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** An alarm is billed by the metrics that it reads. */
const metricsIn = ({ Metrics: metrics = [] }: Properties = {}): number =>
  Math.max(1, metrics.filter(({ MetricStat: stat }) => stat !== undefined).length);
