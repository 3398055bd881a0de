import { describe, expect, it } from '@jest/globals';
import { validate } from '../../platform/core/json/json-body.ts';
import { rotateKeyRequest } from './key-requests.ts';

describe('the body of a rotation', () => {
  const WEEK_SECONDS = 604_800;

  it.each([
    [{}, 0],
    [{ overlap_seconds: 0 }, 0],
    [{ overlap_seconds: WEEK_SECONDS }, WEEK_SECONDS],
  ])('accepts the overlap of the old secret that %j specifies', (body, seconds) => {
    expect(validate(rotateKeyRequest, body)).toEqual({ overlap_seconds: seconds });
  });

  it.each([-1, WEEK_SECONDS + 1, 0.5, '60', null])(
    'fails validation if the overlap is %j seconds',
    (seconds) => {
      expect(() => validate(rotateKeyRequest, { overlap_seconds: seconds })).toThrow(
        expect.objectContaining({ param: 'overlap_seconds' }),
      );
    },
  );
});
