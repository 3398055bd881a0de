import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readUpOptions, type UpOptions, withRegion, withSettings } from './settings.ts';

/** Runs a check with the options of these settings, and removes their files. */
function check(settings: object, args: readonly string[], run: (given: UpOptions) => void): void {
  const folder = mkdtempSync(join(tmpdir(), 'settings-'));
  const file = join(folder, 'settings.json');
  writeFileSync(file, JSON.stringify(settings));
  const given = readUpOptions(['--config', file, ...args]);
  try {
    run(given);
  } finally {
    for (const each of [folder, dirname(given.configFile)]) rmSync(each, { recursive: true });
  }
}

describe('the settings of up', () => {
  it('reach the CDK app with the availability zones that the command chose', () => {
    check({ stage: 'zones-of-a-test', compute: 'fargate' }, [], (given) => {
      const { config, configFile } = withSettings(given, { availabilityZones: ['us-east-1b', 'us-east-1c'] });
      expect(config.availabilityZones).toEqual(['us-east-1b', 'us-east-1c']);
      expect(JSON.parse(readFileSync(configFile, 'utf8'))).toEqual({
        stage: 'zones-of-a-test',
        compute: 'fargate',
        availabilityZones: ['us-east-1b', 'us-east-1c'],
      });
    });
  });

  it('leave out transcriptions by Amazon Transcribe on request, and nothing else', () => {
    const settings = { stage: 'without-of-a-test' };
    check(settings, [], ({ config }) => expect(config.transcribe).toBe(true));
    check(settings, ['--without', 'transcribe'], ({ config, configFile }) => {
      expect(config.transcribe).toBe(false);
      expect(JSON.parse(readFileSync(configFile, 'utf8'))).toEqual({ ...settings, transcribe: false });
    });
    expect(() => readUpOptions(['--stage', 'a', '--without', 'polly'])).toThrow(
      '--without takes transcribe, got polly',
    );
  });

  it.each([
    ['that of the credentials with CloudFront', { compute: 'fargate' }, [], 'eu-west-1'],
    ['that of the settings', { compute: 'fargate', region: 'us-west-2' }, [], 'us-west-2'],
    ['none without CloudFront', {}, [], undefined],
    ['none if a pipeline has synthesized them', { compute: 'fargate' }, ['--app', 'cdk.out'], undefined],
  ])('contain a region: %s', (_, settings, args, expected) => {
    check({ stage: 'region-of-a-test', ...settings }, args, (given) => {
      const { config, configFile } = withRegion(given, 'eu-west-1');
      expect([config.region, JSON.parse(readFileSync(configFile, 'utf8')).region]).toEqual([
        expected,
        expected,
      ]);
    });
  });
});
