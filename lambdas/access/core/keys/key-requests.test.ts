import { describe, expect, it } from '@jest/globals';
import type * as z from 'zod';
import { validate } from '../../../platform/core/json/json-body.ts';
import { createKeyRequest, rotateKeyRequest, updateKeyRequest } from './key-requests.ts';
import { requireStorable } from './policy.ts';

const WEEK_SECONDS = 604_800;

describe('the body of a request about a key', () => {
  it.each<readonly [z.ZodType, object, object]>([
    [createKeyRequest, { name: 'a' }, { name: 'a' }],
    [createKeyRequest, { name: 'x'.repeat(100) }, { name: 'x'.repeat(100) }],
    [createKeyRequest, { name: '  production  ' }, { name: 'production' }],
    [rotateKeyRequest, {}, { overlap_seconds: 0 }],
    [rotateKeyRequest, { overlap_seconds: 0 }, { overlap_seconds: 0 }],
    [rotateKeyRequest, { overlap_seconds: WEEK_SECONDS }, { overlap_seconds: WEEK_SECONDS }],
  ])('passes validation: %#', (schema, body, valid) => {
    expect(validate(schema, body)).toEqual(valid);
  });

  it.each<readonly [z.ZodType, string, unknown]>([
    ...['', '   ', 'x'.repeat(101), 'half \ud83d'].map((name) => [createKeyRequest, 'name', name] as const),
    ...[-1, WEEK_SECONDS + 1, 0.5, '60', null].map(
      (seconds) => [rotateKeyRequest, 'overlap_seconds', seconds] as const,
    ),
  ])('fails validation: %#', (schema, param, value) => {
    expect(() => validate(schema, { [param]: value })).toThrow(expect.objectContaining({ param }));
  });
});

describe('the field `reads` of a policy', () => {
  it.each(['others', 'own', '', null, true])('rejects %p', (reads) => {
    const fault = expect.objectContaining({ param: 'policy.reads' });
    for (const schema of [createKeyRequest, updateKeyRequest])
      expect(() => validate(schema as z.ZodType, { name: 'a', policy: { reads } })).toThrow(fault);
  });

  it('passes from the layout of keys on that has it, and is 409 before', () => {
    const { policy = {} } = validate(createKeyRequest, { name: 'a', policy: { reads: 'account' } });
    expect(() => requireStorable(policy, 1)).toThrow(
      expect.objectContaining({ status: 409, param: 'policy.reads' }),
    );
    expect(() => requireStorable(policy, 2)).not.toThrow();
    expect(() => requireStorable({ rpm: 1 }, 1)).not.toThrow();
  });
});
