import { describe, expect, it } from '@jest/globals';
import type * as z from 'zod';
import { validate } from '../../../platform/core/json/json-body.ts';
import { createKeyRequest, keyRequestsOf, rotateKeyRequest } from './key-requests.ts';

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
  const takes = (layout: number) =>
    Object.values(keyRequestsOf(layout)).map(
      (schema) => schema.safeParse({ name: 'a', policy: { reads: 'account' } }).success,
    );

  it('passes from the layout of keys on that has it', () => {
    expect([takes(1), takes(2)]).toEqual([
      [false, false],
      [true, true],
    ]);
    expect(keyRequestsOf(2).create.safeParse({ name: 'a', policy: { reads: 'others' } }).success).toBe(false);
  });
});
