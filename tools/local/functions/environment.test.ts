import { describe, expect, it } from '@jest/globals';
import { functionEnvironment } from './environment.ts';

const description = {
  name: 'f',
  arn: 'arn:f',
  label: 'f',
  assetDir: '/bundle',
  handler: 'index.handler',
  timeoutMs: 1000,
  memoryMb: 512,
  environment: { TABLE: 'from-template', HOLD: '1200' },
  roleArn: 'arn:role',
};
const environment = functionEnvironment({
  description,
  passedThrough: {
    TABLE: 'from-shell',
    KEY: 'k',
    AWS_PROFILE: 'real',
    AWS_ACCESS_KEY_ID: 'real',
    NODE_OPTIONS: '--x',
    npm_config_y: '1',
    GONE: undefined,
  },
  overrides: { HOLD: '5' },
  accessKeyId: 'local-f',
  awsEndpoint: 'http://127.0.0.1:1',
  dynamodbEndpoint: 'http://127.0.0.1:2',
});

describe("a function's environment", () => {
  it('combines the shell’s variables, the template’s above them, and the overrides above both', () => {
    expect(environment).toMatchObject({ KEY: 'k', TABLE: 'from-template', HOLD: '5' });
  });

  it('contains no variable that gives access to the real AWS or changes Node or npm', () => {
    for (const name of ['AWS_PROFILE', 'NODE_OPTIONS', 'npm_config_y'])
      expect(environment).not.toHaveProperty(name);
    expect(environment.AWS_ACCESS_KEY_ID).toBe('local-f');
  });
});
