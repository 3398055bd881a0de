import { describe, expect, it } from '@jest/globals';
import { signInRequest, signOutRequest } from '../../../lambdas/core/access/session-requests.ts';
import { validate } from '../../../lambdas/core/json/json-body.ts';

describe('the body of a sign-in', () => {
  const MAX_NONCE = 'n'.repeat(255);
  const MAX_TOKEN = 't'.repeat(16_384);

  it.each([{ token: 't' }, { token: MAX_TOKEN, nonce: 'n' }, { token: 't', nonce: MAX_NONCE }])(
    'keeps the token, and the nonce that it must contain: %#',
    (body) => {
      expect(validate(signInRequest, body)).toEqual(body);
    },
  );

  it.each([
    ['token', { nonce: 'n' }, 'missing_field'],
    ['token', { token: '' }, 'invalid_value'],
    ['token', { token: `${MAX_TOKEN}t` }, 'invalid_value'],
    ['token', { token: 5 }, 'invalid_value'],
    ['nonce', { token: 't', nonce: '' }, 'invalid_value'],
    ['nonce', { token: 't', nonce: `${MAX_NONCE}n` }, 'invalid_value'],
    ['nonce', { token: 't', nonce: 5 }, 'invalid_value'],
    ['nonce', { token: 't', nonce: null }, 'invalid_value'],
  ])('is refused for its %s: %#', (param, body, code) => {
    expect(() => validate(signInRequest, body)).toThrow(expect.objectContaining({ code, param }));
  });
});

describe('the body of a sign-out', () => {
  it('ends one session, unless it says that it ends every one', () => {
    expect(validate(signOutRequest, {})).toEqual({ everywhere: false });
    expect(validate(signOutRequest, { everywhere: true })).toEqual({ everywhere: true });
    expect(() => validate(signOutRequest, { everywhere: 'yes' })).toThrow(
      expect.objectContaining({ param: 'everywhere' }),
    );
  });
});
