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
  it('retains its value unchanged', () => {
    expect(requireVariable({ NAME: ' value ' }, 'NAME')).toBe(' value ');
  });

  it.each([[{}], [{ NAME: undefined }], [{ NAME: '' }]])(
    'causes an error that names it if it is missing: %j',
    (environment) => {
      expect(() => requireVariable(environment, 'NAME')).toThrow('environment variable NAME is not set');
    },
  );

  it.each(['0', '-1', '1.5', 'ten', 'NaN', 'Infinity', '9007199254740993', '5s'])(
    'causes an error that names it if it is not a positive integer: %s',
    (value) => {
      expect(() => requirePositiveInteger({ COUNT: value }, 'COUNT')).toThrow(
        'environment variable COUNT must be a positive integer',
      );
    },
  );

  it('becomes a number if it is a positive integer', () => {
    expect(requirePositiveInteger({ COUNT: '1200' }, 'COUNT')).toBe(1200);
  });
});

describe('the names of the variables', () => {
  it('differ from each other, as variables and as outputs of a stack', () => {
    expect(new Set(names).size).toBe(names.length);
    expect(new Set(names.map(outputName)).size).toBe(names.length);
  });

  it('match the rules of Lambda and CloudFormation', () => {
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
