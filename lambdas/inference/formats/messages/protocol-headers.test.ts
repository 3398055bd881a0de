import { describe, expect, it } from '@jest/globals';
import { protocolHeadersOf } from './payload.ts';

const read = (headers: Record<string, string>) => protocolHeadersOf(new Headers(headers));

describe('the headers of the Messages protocol', () => {
  it.each([
    [{}, { betas: [] }],
    [{ 'anthropic-version': '2026-10-21' }, { version: '2026-10-21', betas: [] }],
    [{ 'anthropic-version': 'newest' }, { betas: [] }],
    [
      { 'anthropic-beta': 'a-2025-01-01, b-2025-01-01,,a-2025-01-01 ' },
      { betas: ['a-2025-01-01', 'b-2025-01-01'] },
    ],
  ])('yield a version and the flags, each once: %j', (headers, expected) => {
    expect(read(headers)).toEqual(expected);
  });

  it('accept the flags in several headers', () => {
    const headers = new Headers([
      ['anthropic-beta', 'a-2025-01-01'],
      ['Anthropic-Beta', 'b-2025-01-01'],
    ]);
    expect(protocolHeadersOf(headers).betas).toEqual(['a-2025-01-01', 'b-2025-01-01']);
  });

  it.each([
    'a b',
    'ä'.normalize(),
    'x'.repeat(101),
    Array.from({ length: 51 }, (_, index) => `a-${index}`).join(','),
    '"quoted"',
  ])('reject values that cannot be flags, and the error names the header: %s', (flags) => {
    expect(() => protocolHeadersOf({ get: (name) => (name === 'anthropic-beta' ? flags : null) })).toThrow(
      expect.objectContaining({ status: 400, code: 'invalid_value', param: 'anthropic-beta' }),
    );
  });
});
