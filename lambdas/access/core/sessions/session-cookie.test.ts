import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { rounds } from '../../../../tools/test-kit/thorough.ts';
import { hasSession, readSession, type Session } from './session.ts';
import { CLEARED_SESSION_COOKIE, cookieToken, SESSION_COOKIES, sessionCookie } from './session-cookie.ts';

const TOKEN = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhY2NfMSJ9.c2lnbmF0dXJl';
const PAGE = { 'x-requested-with': 'console' };
const SESSION_COOKIE = SESSION_COOKIES.owner;
const COOKIE = { cookie: `${SESSION_COOKIE}=${TOKEN}` };
const SESSION: Session = { id: 'ses_1', accountId: 'acc_1', expires: 2, authTime: 1, role: 'owner' };

/** Knows the one token, and records the tokens that it verifies. */
function knowing() {
  const verifiedTokens: string[] = [];
  const verify = async (token: string) => {
    verifiedTokens.push(token);
    return token === TOKEN ? SESSION : undefined;
  };
  return { verifiedTokens, verify };
}

const read = (headers: Record<string, string>) => readSession(new Headers(headers), knowing());
const codeOf = (headers: Record<string, string>) =>
  read(headers).then(
    () => 'accepted',
    (failure: { code: string; status: number }) => `${failure.status} ${failure.code}`,
  );

describe('the cookie of a session', () => {
  it('specifies the attributes that limit it to the host, to TLS and to same-site requests, and hide it from scripts', () => {
    expect(sessionCookie(TOKEN, 3600)).toBe(
      `__Host-session=${TOKEN}; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=3600`,
    );
    expect(CLEARED_SESSION_COOKIE).toBe(
      '__Host-session=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0',
    );
  });

  it.each([
    ['alone', `${SESSION_COOKIE}=${TOKEN}`],
    ['among others', `a=b; ${SESSION_COOKIE}=${TOKEN}; theme=dark`],
    ['without spaces', `a=b;${SESSION_COOKIE}=${TOKEN};c=d`],
    [
      'beside names that only resemble it',
      `x${SESSION_COOKIE}=1; ${SESSION_COOKIE}x=1; ${SESSION_COOKIE}=${TOKEN}`,
    ],
    ['beside one of another case', `__host-session=a.b.c; ${SESSION_COOKIE}=${TOKEN}`],
    ['beside what is no cookie', `;;=; =x; garbage; ${SESSION_COOKIE}=${TOKEN}`],
  ])('authenticates the request when it appears %s', async (_where, cookie) => {
    expect(hasSession(new Headers({ ...PAGE, cookie }))).toBe(true);
    expect(await read({ ...PAGE, cookie })).toBe(SESSION);
  });

  it.each([
    ['two of its name', `${SESSION_COOKIE}=${TOKEN}; ${SESSION_COOKIE}=${TOKEN}`],
    ['no value', `${SESSION_COOKIE}=`],
    ['no equals sign', `${SESSION_COOKIE}`],
    ['quotes', `${SESSION_COOKIE}="${TOKEN}"`],
    ['two parts', `${SESSION_COOKIE}=a.b`],
    ['four parts', `${SESSION_COOKIE}=${TOKEN}.x`],
    ['an API key', `${SESSION_COOKIE}=uis_${'0'.repeat(124)}`],
    ['bytes', `${SESSION_COOKIE}=\xff.\xfe.\xfd`],
    ['a token of nobody', `${SESSION_COOKIE}=a.b.c`],
    ['ten thousand characters', `${SESSION_COOKIE}=${TOKEN}; x=${'x'.repeat(10_000)}`],
  ])('returns 401 if it contains %s, and reads no session for a malformed value', async (_what, cookie) => {
    expect(await codeOf({ ...PAGE, cookie })).toBe('401 invalid_session');
    const { verifiedTokens, verify } = knowing();
    await readSession(new Headers({ ...PAGE, cookie }), { verify }).catch(() => {});
    expect(verifiedTokens.every((token) => token === 'a.b.c')).toBe(true);
  });

  it('yields to an authorization header, even to an invalid one', async () => {
    expect(await codeOf({ ...PAGE, ...COOKIE, authorization: 'Bearer a.b.c' })).toBe('401 invalid_session');
    expect(await codeOf({ ...PAGE, ...COOKIE, authorization: 'Basic x' })).toBe('401 invalid_session');
    expect(await codeOf({ ...PAGE, ...COOKIE, authorization: 'Bearer uis_key' })).toBe('401 invalid_session');
    expect(await codeOf({ ...PAGE, ...COOKIE, authorization: '' })).toBe('401 invalid_session');
    expect(hasSession(new Headers({ ...PAGE, ...COOKIE, authorization: 'Bearer uis_1' }))).toBe(false);
    expect(await read({ authorization: `Bearer ${TOKEN}`, cookie: `${SESSION_COOKIE}=a.b.c` })).toBe(SESSION);
  });
});

/** Headers that a page of another site can have a browser send, and some that it cannot. */
const otherHeaders = fc.dictionary(
  fc.constantFrom(
    'accept',
    'content-type',
    'origin',
    'referer',
    'sec-fetch-site',
    'sec-fetch-mode',
    'x-api-key',
    'x-session-transport',
    'x-console',
    'x-requested',
    'requested-with',
    'x-requested-with-console',
  ),
  fc.constantFrom('console', 'same-origin', 'cross-site', 'cookie', 'text/plain', 'https://example.com', ''),
);

describe('a request without the header of our own pages', () => {
  it('receives 401 for a session cookie, with any other headers', async () => {
    await fc.assert(
      fc.asyncProperty(otherHeaders, fc.string({ maxLength: 20 }), async (headers, value) => {
        const requestHeaders = new Headers({ ...headers, ...COOKIE });
        expect(cookieToken(requestHeaders)).toBeUndefined();
        expect(hasSession(requestHeaders)).toBe(false);
        expect(await codeOf({ ...headers, ...COOKIE })).toBe('401 missing_session');
        if (/^[\x20-\x7e]*$/.test(value) && value.trim() !== 'console')
          expect(await codeOf({ ...headers, ...COOKIE, 'x-requested-with': value })).toBe(
            '401 missing_session',
          );
      }),
      { numRuns: rounds(300) },
    );
  });

  it('receives 401 for a session cookie if its header has only a similar value', async () => {
    for (const value of ['Console', 'console, console', 'console2', 'XMLHttpRequest', '"console"'])
      expect(await codeOf({ ...COOKIE, 'x-requested-with': value })).toBe('401 missing_session');
  });
});

it('any cookie header leads to 401 or to the session of its cookie', async () => {
  const fragment = fc.oneof(
    fc.constant(`${SESSION_COOKIE}=${TOKEN}`),
    fc.constantFrom(...[SESSION_COOKIE, '=', ';', '; ', TOKEN, '"', '\t', '%00', ',']),
    fc.string({ maxLength: 10 }),
  );
  let accepted = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(fragment, { maxLength: 8 }), async (fragments) => {
      const cookie = fragments.join('').replace(/[^\t\x20-\xff]|\x7f/g, '');
      const code = await codeOf({ ...PAGE, cookie });
      if (code === 'accepted') accepted += 1;
      else expect(code).toMatch(/^401 (missing|invalid)_session$/);
    }),
    { numRuns: rounds(500) },
  );
  expect(accepted).toBeGreaterThan(5);
});
