import { resolve } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { readSettings } from './settings.ts';

describe('the settings of a start', () => {
  it('default to a value each', () => {
    expect(readSettings({})).toEqual({
      port: 8787,
      stateDir: resolve('.local'),
      catalogFile: undefined,
      dynamodbEndpoint: undefined,
      ipRequestsPerMinute: undefined,
      enforceIam: true,
      ingress: 'host',
      compute: 'functions',
      layouts: 'newest',
      historyDays: 30,
      overrides: {},
    });
    expect(readSettings({ PORT: '', CATALOG: '' })).toEqual(readSettings({}));
  });

  it('come from the environment', () => {
    const shell = {
      PORT: '0',
      LOCAL_DIR: 'x',
      CATALOG: 'c.json',
      IP_RPM: '0',
      HOLD_TTL_SECONDS: '5',
      IAM: 'off',
      LOG_LEVEL: 'WARN',
      WEBHOOK_ALLOW_LOOPBACK: '1',
      DELIVERY_CLAIM_SECONDS: '2',
      QUEUE_VISIBILITY_SECONDS: '3',
      DEMO_HISTORY_DAYS: '2',
      LAYOUTS: 'first',
    };
    expect(readSettings({ ...shell, DYNAMODB_ENDPOINT: 'http://127.0.0.1:8000' })).toEqual({
      port: 0,
      stateDir: resolve('x'),
      catalogFile: resolve('c.json'),
      dynamodbEndpoint: 'http://127.0.0.1:8000',
      ipRequestsPerMinute: 0,
      enforceIam: false,
      ingress: 'host',
      compute: 'functions',
      queueVisibilityMs: 3_000,
      clamdSocket: undefined,
      layouts: 'first',
      historyDays: 2,
      overrides: {
        HOLD_TTL_SECONDS: '5',
        LOG_LEVEL: 'WARN',
        WEBHOOK_ALLOW_LOOPBACK: '1',
        DELIVERY_CLAIM_SECONDS: '2',
      },
    });
  });

  it.each([
    ['PORT', 'abc', 'from 0 to 65535'],
    ['PORT', '65536', 'from 0 to 65535'],
    ['PORT', '1.5', 'from 0 to 65535'],
    ['IP_RPM', '-1', 'of at least 0'],
    ['HOLD_TTL_SECONDS', '0', 'of at least 1'],
    ['IAM', 'maybe', 'on or off'],
    ['WEBHOOK_ALLOW_LOOPBACK', 'yes', '0 or 1'],
    ['QUEUE_VISIBILITY_SECONDS', '43201', 'from 1 to 43200'],
    ['DEMO_HISTORY_DAYS', '91', 'from 0 to 90'],
    ['DYNAMODB_ENDPOINT', '127.0.0.1:8000', 'http or https address'],
  ])('cause an error that names the setting: %s=%s', (name, value, allowed) => {
    expect(() => readSettings({ [name]: value })).toThrow(
      new RegExp(`^${name} must be .*${allowed}.*, got "${value}"$`),
    );
  });
});
