import { describe, expect, it } from '@jest/globals';
import { errorOf } from '../payer.ts';
import { authorize } from '../sign-in.ts';
import { service } from './service.ts';

/** The header that the console's pages send with every request. */
const PAGE = { 'x-requested-with': 'console' };

const call = (method: string, path: string, headers: Record<string, string>, body?: object) =>
  service.fetch(path, {
    method,
    key: null,
    headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });

/** The cookie as a browser would send it again. */
const cookieOf = (response: Response): string => response.headers.getSetCookie()[0]?.split(';')[0] ?? '';

const signIn = (credential: object) =>
  call('POST', '/api/v1/auth/local', { 'x-session-transport': 'cookie' }, credential);

describe('a browser', () => {
  it('signs in to the demo account without a token that scripts can read, renews its session and signs out', async () => {
    const signedIn = await signIn(await authorize(service));
    const { access_token: token, account } = (await signedIn.json()) as {
      access_token: unknown;
      account: { id: string };
    };
    expect([signedIn.status, token]).toEqual([200, null]);
    expect(signedIn.headers.getSetCookie()).toEqual([
      expect.stringMatching(
        /^__Host-session=[\w-]+\.[\w-]+\.[\w-]+; Path=\/; HttpOnly; Secure; SameSite=Strict; Max-Age=3600$/,
      ),
    ]);
    const first = { ...PAGE, cookie: cookieOf(signedIn) };
    const me = await call('GET', '/api/v1/auth/me', first);
    expect(await me.json()).toEqual(account);
    const keys = await (await call('GET', '/api-keys', first)).json();
    expect(keys).toMatchObject({ data: [{ name: 'demo' }] });

    const renewed = await call('POST', '/api/v1/auth/renew', first);
    const now = Math.floor(Date.now() / 1000);
    const { signed_in_until: until, ...rest } = (await renewed.json()) as { signed_in_until: number };
    expect(rest).toEqual({ object: 'session', access_token: null, expires_in: 3600 });
    expect(Math.abs(until - now - 86_400)).toBeLessThan(60);
    const second = { ...PAGE, cookie: cookieOf(renewed) };
    expect(second.cookie).not.toBe(first.cookie);
    expect(await errorOf(await call('GET', '/api/v1/auth/me', first))).toMatchObject({
      status: 401,
      code: 'invalid_session',
    });
    expect((await call('GET', '/api/v1/auth/me', second)).status).toBe(200);

    const signedOut = await call('POST', '/api/v1/auth/sign-out', second);
    expect([signedOut.status, signedOut.headers.getSetCookie()]).toEqual([
      200,
      ['__Host-session=; Path=/; HttpOnly; Secure; SameSite=Strict; Max-Age=0'],
    ]);
    expect(await errorOf(await call('GET', '/api/v1/auth/me', second))).toMatchObject({
      status: 401,
      code: 'invalid_session',
    });
    expect(service.output).not.toContain(second.cookie.slice(20));
  });

  it('receives the same account in every session of one person, and another account for another person', async () => {
    const accounts = [];
    for (const email of ['a@example.com', 'A@example.com', 'b@example.com']) {
      const { account } = (await (await signIn(await authorize(service, email))).json()) as {
        account: { id: string };
      };
      accounts.push(account.id);
    }
    expect(accounts[0]).toBe(accounts[1]);
    expect(accounts[2]).not.toBe(accounts[0]);
  });
});
