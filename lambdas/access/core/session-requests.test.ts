import { describe, expect, it } from '@jest/globals';
import { validate } from '../../platform/core/json/json-body.ts';
import { credentialIn, signInRequest, signOutRequest, wantsCookie } from './session-requests.ts';

describe('the body of a sign-in', () => {
  const MAX_NONCE = 'n'.repeat(255);
  const MAX_TOKEN = 't'.repeat(16_384);

  it.each([{ token: 't' }, { token: MAX_TOKEN, nonce: 'n' }, { token: 't', nonce: MAX_NONCE }])(
    'accepts the token and the nonce that it must contain: %#',
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
  ])('fails validation of its %s: %#', (param, body, code) => {
    expect(() => validate(signInRequest, body)).toThrow(expect.objectContaining({ code, param }));
  });
});

describe('the body of a sign-in with a code', () => {
  const BODY = { code: 'the code', code_verifier: 'v'.repeat(43), redirect_uri: 'https://a.example/' };

  const LONGEST_URI = BODY.redirect_uri.padEnd(2_048, 'a');

  it('accepts the code with its verifier, redirect URI and nonce', () => {
    for (const body of [
      BODY,
      { ...BODY, redirect_uri: LONGEST_URI },
      { ...BODY, nonce: 'n' },
      { ...BODY, code_verifier: 'aZ0-._~'.repeat(18) },
    ]) {
      const { code, code_verifier: codeVerifier, redirect_uri: redirectUri, ...rest } = body;
      expect(credentialIn(validate(signInRequest, body))).toEqual({
        code,
        codeVerifier,
        redirectUri,
        ...rest,
      });
    }
    expect(credentialIn(validate(signInRequest, { token: 't', nonce: 'n' }))).toEqual({
      token: 't',
      nonce: 'n',
    });
  });

  const without = (name: keyof typeof BODY) => ({ ...BODY, [name]: undefined });
  it.each([
    ['token', {}, 'missing_field'],
    ['token', { nonce: 'n' }, 'missing_field'],
    ['code', without('code'), 'missing_field'],
    ['code_verifier', without('code_verifier'), 'missing_field'],
    ['redirect_uri', without('redirect_uri'), 'missing_field'],
    ['code', { ...BODY, token: 't' }, 'invalid_value'],
    ['code_verifier', { token: 't', code_verifier: BODY.code_verifier }, 'invalid_value'],
    ['redirect_uri', { token: 't', redirect_uri: BODY.redirect_uri }, 'invalid_value'],
    ['code', { ...BODY, code: '' }, 'invalid_value'],
    ['code', { ...BODY, code: 'c'.repeat(4_097) }, 'invalid_value'],
    ['code', { ...BODY, code: 'a\r\nb' }, 'invalid_value'],
    ['code_verifier', { ...BODY, code_verifier: 'v'.repeat(42) }, 'invalid_value'],
    ['code_verifier', { ...BODY, code_verifier: 'v'.repeat(129) }, 'invalid_value'],
    ['code_verifier', { ...BODY, code_verifier: `${'v'.repeat(43)}+` }, 'invalid_value'],
    ['redirect_uri', { ...BODY, redirect_uri: '' }, 'invalid_value'],
    ['redirect_uri', { ...BODY, redirect_uri: LONGEST_URI.concat('a') }, 'invalid_value'],
  ])('fails validation of its %s: %#', (param, body, code) => {
    expect(() => validate(signInRequest, body)).toThrow(expect.objectContaining({ code, param }));
  });
});

describe('the transport of a session', () => {
  it('uses a cookie only if the request header selects one, and rejects an unknown value', () => {
    const wants = (value?: string) =>
      wantsCookie(new Headers(value === undefined ? {} : { 'x-session-transport': value }));
    expect([wants(), wants('bearer'), wants('cookie')]).toEqual([false, false, true]);
    for (const value of ['Cookie', '', 'cookie, cookie', 'header'])
      expect(() => wants(value)).toThrow(expect.objectContaining({ param: 'x-session-transport' }));
  });
});

describe('the body of a sign-out', () => {
  it('ends one session, unless it specifies all sessions', () => {
    expect(validate(signOutRequest, {})).toEqual({ everywhere: false });
    expect(validate(signOutRequest, { everywhere: true })).toEqual({ everywhere: true });
    expect(() => validate(signOutRequest, { everywhere: 'yes' })).toThrow(
      expect.objectContaining({ param: 'everywhere' }),
    );
  });
});
