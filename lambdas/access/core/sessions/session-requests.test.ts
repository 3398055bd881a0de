import { describe, expect, it } from '@jest/globals';
import { validate } from '../../../platform/core/json/json-body.ts';
import { credentialIn, signInRequest, signOutRequest, wantsCookie } from './session-requests.ts';

describe('the body of a sign-in', () => {
  const MAX_NONCE = 'n'.repeat(255);
  const MAX_TOKEN = 't'.repeat(16_384);
  const BODY = { code: 'the code', code_verifier: 'v'.repeat(43), redirect_uri: 'https://a.example/' };
  const LONGEST_URI = BODY.redirect_uri.padEnd(2_048, 'a');

  it.each([{ token: 't' }, { token: MAX_TOKEN, nonce: 'n' }, { token: 't', nonce: MAX_NONCE }])(
    'accepts a token and a nonce that it must contain: %#',
    (body) => {
      expect(credentialIn(validate(signInRequest, body))).toEqual(body);
    },
  );

  it.each([
    BODY,
    { ...BODY, redirect_uri: LONGEST_URI },
    { ...BODY, nonce: 'n' },
    { ...BODY, code_verifier: 'aZ0-._~'.repeat(18) },
  ])('accepts a code with its verifier, redirect URI and nonce: %#', (body) => {
    const { code, code_verifier: codeVerifier, redirect_uri: redirectUri, ...rest } = body;
    expect(credentialIn(validate(signInRequest, body))).toEqual({ code, codeVerifier, redirectUri, ...rest });
  });

  const without = (name: keyof typeof BODY) => ({ ...BODY, [name]: undefined });
  it.each([
    ['token', {}],
    ['token', { nonce: 'n' }],
    ['code', without('code')],
    ['code_verifier', without('code_verifier')],
    ['redirect_uri', without('redirect_uri')],
  ])('fails validation if it has no %s: %#', (param, body) => {
    const missing = expect.objectContaining({ code: 'missing_field', param });
    expect(() => validate(signInRequest, body)).toThrow(missing);
  });

  it.each([
    ['token', { token: '' }],
    ['token', { token: `${MAX_TOKEN}t` }],
    ['token', { token: 5 }],
    ['nonce', { token: 't', nonce: '' }],
    ['nonce', { token: 't', nonce: `${MAX_NONCE}n` }],
    ['nonce', { token: 't', nonce: 5 }],
    ['nonce', { token: 't', nonce: null }],
    ['code', { ...BODY, token: 't' }],
    ['code_verifier', { token: 't', code_verifier: BODY.code_verifier }],
    ['redirect_uri', { token: 't', redirect_uri: BODY.redirect_uri }],
    ['code', { ...BODY, code: '' }],
    ['code', { ...BODY, code: 'c'.repeat(4_097) }],
    ['code', { ...BODY, code: 'a\r\nb' }],
    ['code_verifier', { ...BODY, code_verifier: 'v'.repeat(42) }],
    ['code_verifier', { ...BODY, code_verifier: 'v'.repeat(129) }],
    ['code_verifier', { ...BODY, code_verifier: `${'v'.repeat(43)}+` }],
    ['redirect_uri', { ...BODY, redirect_uri: '' }],
    ['redirect_uri', { ...BODY, redirect_uri: LONGEST_URI.concat('a') }],
  ])('fails validation of its %s: %#', (param, body) => {
    const invalid = expect.objectContaining({ code: 'invalid_value', param });
    expect(() => validate(signInRequest, body)).toThrow(invalid);
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
