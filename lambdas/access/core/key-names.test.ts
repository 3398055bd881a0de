import { describe, expect, it } from '@jest/globals';
import { keyName } from './api-keys.ts';

describe('the name of a key', () => {
  it.each(['a', 'x'.repeat(100)])('passes validation if it is %s', (name) => {
    expect(keyName.parse(name)).toBe(name);
  });

  it('loses its leading and trailing spaces', () => {
    expect(keyName.parse('  production  ')).toBe('production');
  });

  it.each(['', '   ', 'x'.repeat(101)])('fails validation if it is %j', (name) => {
    expect(keyName.safeParse(name).success).toBe(false);
  });
});
