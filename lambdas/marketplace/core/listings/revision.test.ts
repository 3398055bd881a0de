import { describe, expect, it } from '@jest/globals';
import { etagOf, readIfMatch } from './revision.ts';

const condition = (value?: string) =>
  readIfMatch(new Headers(value === undefined ? {} : { 'if-match': value }));

describe('the condition of a writer', () => {
  it('accepts any state if it is absent or "*"', () => {
    expect(condition()(7)).toBe(true);
    expect(condition('*')(7)).toBe(true);
  });

  it('accepts the states that it names, and no other', () => {
    expect(condition(etagOf(7))(7)).toBe(true);
    expect(condition(`"1", ${etagOf(7)}`)(7)).toBe(true);
    expect(condition(etagOf(6))(7)).toBe(false);
  });

  it('rejects every state if its tag is weak', () => {
    expect(condition(`W/${etagOf(7)}`)(7)).toBe(false);
  });

  it.each(['7', '"7', 'nonsense', ''])('causes an error if it is not a tag: %j', (value) => {
    expect(() => condition(value)).toThrow(
      expect.objectContaining({ code: 'invalid_value', param: 'If-Match' }),
    );
  });
});
