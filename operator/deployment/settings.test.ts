import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readUpOptions, withZones } from './settings.ts';

describe('the settings of up', () => {
  it('reach the CDK app with the zones that were chosen for them', () => {
    const folder = mkdtempSync(join(tmpdir(), 'settings-'));
    const file = join(folder, 'settings.json');
    writeFileSync(file, JSON.stringify({ stage: 'zones-of-a-test', compute: 'fargate' }));
    const given = readUpOptions(['--config', file]);
    try {
      const { config, configFile } = withZones(given, ['us-east-1b', 'us-east-1c']);
      expect(config.availabilityZones).toEqual(['us-east-1b', 'us-east-1c']);
      expect(JSON.parse(readFileSync(configFile, 'utf8'))).toEqual({
        stage: 'zones-of-a-test',
        compute: 'fargate',
        availabilityZones: ['us-east-1b', 'us-east-1c'],
      });
    } finally {
      for (const each of [folder, dirname(given.configFile)]) rmSync(each, { recursive: true });
    }
  });
});
