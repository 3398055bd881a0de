import { describe, expect, it } from '@jest/globals';
import { nextVersion, takenText } from './versions.ts';

describe('the form of a release', () => {
  it.each([
    [['1.0.0'], '1.0.1'],
    [['1.0.0', '1.10.2', '1.9.9'], '1.10.3'],
    [['2.0.0-beta.7', '1.4.0'], '2.0.1'],
    [['1.0.99999999999999999999'], '1.0.100000000000000000000'],
    [[], '1.0.0'],
  ])('suggests after %j the version %s', (versions, next) => {
    expect(nextVersion(versions)).toBe(next);
  });

  it('names the versions that are taken, the newest five of many', () => {
    expect(takenText(['1.0.1', '1.0.0'])).toBe('Taken: 1.0.1, 1.0.0.');
    expect(takenText(['6', '5', '4', '3', '2', '1'])).toBe('Taken: 6, 5, 4, 3, 2, and 1 earlier one.');
  });
});
