import { describe, expect, it } from '@jest/globals';
import { keyName } from './api-keys.ts';

describe('the name of a key', () => {
  it.each(['a', 'x'.repeat(100)])('may be %s', (name) => {
    expect(keyName.parse(name)).toBe(name);
  });

  it('has no blanks around it', () => {
    expect(keyName.parse('  production  ')).toBe('production');
  });

  it.each(['', '   ', 'x'.repeat(101)])('is never %j', (name) => {
    expect(keyName.safeParse(name).success).toBe(false);
  });
});
