import { describe, expect, it } from '@jest/globals';
import { etagOf, readIfMatch } from './revision.ts';

const condition = (value?: string) =>
  readIfMatch(new Headers(value === undefined ? {} : { 'if-match': value }));

describe('the condition of a writer', () => {
  it('is met by any state when it is absent or "*"', () => {
    expect(condition()(7)).toBe(true);
    expect(condition('*')(7)).toBe(true);
  });

  it('is met by the states that it names, and by no other', () => {
    expect(condition(etagOf(7))(7)).toBe(true);
    expect(condition(`"1", ${etagOf(7)}`)(7)).toBe(true);
    expect(condition(etagOf(6))(7)).toBe(false);
  });

  it('is never met by a weak tag', () => {
    expect(condition(`W/${etagOf(7)}`)(7)).toBe(false);
  });

  it.each(['7', '"7', 'nonsense', ''])('is refused when it is no tag: %j', (value) => {
    expect(() => condition(value)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'If-Match' }),
    );
  });
});
