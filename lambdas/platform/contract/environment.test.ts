import { describe, expect, it } from '@jest/globals';
import {
  DEFAULT_HOLD_TTL_SECONDS,
  outputName,
  requirePositiveInteger,
  requireVariable,
  STREAM_TIMEOUT_SECONDS,
  VARIABLES,
} from './environment.ts';
import { TABLES } from './tables.ts';

const names = [...Object.values(VARIABLES), ...Object.values(TABLES).map(({ variable }) => variable)];

describe('a required variable', () => {
  it('is returned as it stands', () => {
    expect(requireVariable({ NAME: ' value ' }, 'NAME')).toBe(' value ');
  });

  it.each([[{}], [{ NAME: undefined }], [{ NAME: '' }]])(
    'that is missing is named in the error: %j',
    (environment) => {
      expect(() => requireVariable(environment, 'NAME')).toThrow('environment variable NAME is not set');
    },
  );

  it.each(['0', '-1', '1.5', 'ten', 'NaN', 'Infinity', '9007199254740993', '5s'])(
    'that is no positive integer is named in the error: %s',
    (value) => {
      expect(() => requirePositiveInteger({ COUNT: value }, 'COUNT')).toThrow(
        'environment variable COUNT must be a positive integer',
      );
    },
  );

  it('that is a positive integer is returned as a number', () => {
    expect(requirePositiveInteger({ COUNT: '1200' }, 'COUNT')).toBe(1200);
  });
});

describe('the names of the variables', () => {
  it('are distinct, as variables and as outputs of a stack', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names.map(outputName)).size).toBe(names.length);
  });

  it('are names that Lambda and CloudFormation take', () => {
    for (const name of names) {
      expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
      expect(name).not.toMatch(/^(AWS|LAMBDA)_/);
      expect(outputName(name)).toMatch(/^[A-Z0-9]+$/);
    }
  });
});

describe('a hold', () => {
  it('outlives the longest call, so that no live call is recovered under its feet', () => {
    expect(DEFAULT_HOLD_TTL_SECONDS).toBeGreaterThan(STREAM_TIMEOUT_SECONDS);
  });
});
