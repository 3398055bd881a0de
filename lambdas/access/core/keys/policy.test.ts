import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { KINDS } from '../../../platform/core/kinds.ts';
import { policyEntry, policySchema } from './policy.ts';

const cap = fc.bigInt({ min: 0n, max: 10n ** 15n - 1n });
const policy = fc.record(
  {
    allowed_models: fc.uniqueArray(fc.string({ minLength: 1, maxLength: 128 }), {
      minLength: 1,
      maxLength: 20,
    }),
    allowed_kinds: fc.subarray([...KINDS]),
    daily_usd: cap,
    monthly_usd: cap,
    tpm: fc.integer({ min: 1, max: 1_000_000_000 }),
    rpm: fc.integer({ min: 1, max: 1_000_000_000 }),
  },
  { requiredKeys: [] },
);

describe('the schema of a policy', () => {
  it('reads back what callers are shown, for caps of up to 15 digits', () => {
    fc.assert(
      fc.property(policy, (policyValue) => {
        expect(policySchema.parse(JSON.parse(JSON.stringify(policyEntry(policyValue))))).toEqual(policyValue);
      }),
    );
  });

  it('reads a cap written as text exactly, up to a thousand million USD', () => {
    expect(policySchema.parse({ daily_usd: '999999999.999999999' })).toEqual({
      daily_usd: 999_999_999_999_999_999n,
    });
  });

  it.each([
    ['a misspelt field', { dayly_usd: 1 }],
    ['a negative cap', { daily_usd: -1 }],
    ['a cap of more than 9 places', { monthly_usd: '0.0000000001' }],
    ['a cap of absurd size', { monthly_usd: 1_000_000_001 }],
    ['a cap that is no number', { daily_usd: 'much' }],
    ['a cap of null', { daily_usd: null }],
    ['a rate of 0', { rpm: 0 }],
    ['a fractional rate', { tpm: 1.5 }],
    ['a rate as text', { rpm: '5' }],
    ['an empty list of models', { allowed_models: [] }],
    ['half of a character', { allowed_models: ['\ud83d'] }],
    ['an empty model name', { allowed_models: [''] }],
    ['too many models', { allowed_models: Array.from({ length: 21 }, (_, index) => `m${index}`) }],
    ['an unknown kind', { allowed_kinds: ['video'] }],
  ])('rejects %s', (_case, input) => {
    expect(policySchema.safeParse(input).success).toBe(false);
  });

  it('names the fields that there are if one is unknown', () => {
    const fault = policySchema.safeParse({ daily_us: 1 }).error?.issues[0]?.message;
    expect(fault).toBe(
      'may not have the field "daily_us"; its fields are allowed_models, allowed_kinds, daily_usd, monthly_usd, tpm, rpm, reads',
    );
  });

  it('accepts a cap of 0 and shows it as 0', () => {
    expect(policySchema.parse({ daily_usd: 0 })).toEqual({ daily_usd: 0n });
    expect(JSON.stringify(policyEntry({ daily_usd: 0n }))).toBe('{"daily_usd":0}');
  });
});
