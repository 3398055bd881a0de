import { createHmac } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { decodeJwt, SignJWT } from 'jose';
import { createSessionTokens } from './session-tokens.ts';

const NOW_MS = Date.UTC(2026, 6, 15, 12);
const ACCOUNT = `acc_${'0'.repeat(26)}`;
const TODAY = 'the session key of today, long enough';
const TOMORROW = 'the session key of tomorrow, long enough';
const YESTERDAY = 'the session key of yesterday, long enough';

const tokensOf = (current: string, previous?: string, nowMs = NOW_MS) =>
  createSessionTokens(
    async () => ({ current, ...(previous === undefined ? {} : { previous }) }),
    () => nowMs,
  );

const sessionOf = (seconds: number) => ({
  id: `ses_${'0'.repeat(26)}`,
  accountId: ACCOUNT,
  expires: NOW_MS / 1000 + seconds,
  authTime: NOW_MS / 1000 - 100,
  role: 'owner' as const,
});

describe('a token of a session', () => {
  it('identifies its account until the second it expires, and contains nothing else about anyone', async () => {
    const token = await tokensOf(TODAY).sign(sessionOf(3600));
    expect(await tokensOf(TODAY).read(token)).toEqual(sessionOf(3600));
    expect(await tokensOf(TODAY, undefined, NOW_MS + 3_599_000).read(token)).toEqual(sessionOf(3600));
    expect(await tokensOf(TODAY, undefined, NOW_MS + 3_600_000).read(token)).toBeUndefined();
    expect(Object.keys(decodeJwt(token)).sort()).toEqual([
      'aud',
      'auth_time',
      'exp',
      'iat',
      'iss',
      'jti',
      'sub',
    ]);
  });

  it('receives the signature of the current key, and outlives one rotation of that key', async () => {
    const token = await tokensOf(TODAY, YESTERDAY).sign(sessionOf(3600));
    for (const tokens of [tokensOf(TODAY), tokensOf(TOMORROW, TODAY)])
      expect(await tokens.read(token)).toEqual(sessionOf(3600));
    for (const tokens of [tokensOf(YESTERDAY), tokensOf(TOMORROW), tokensOf(TOMORROW, YESTERDAY)])
      expect(await tokens.read(token)).toBeUndefined();
  });

  it('fails verification if any part of it differs from the signed one', async () => {
    const [header = '', payload = '', signature = ''] = (await tokensOf(TODAY).sign(sessionOf(60))).split(
      '.',
    );
    const other = JSON.stringify({ ...decodeJwt(`${header}.${payload}.`), sub: `acc_${'1'.repeat(26)}` });
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const text = `${Buffer.from('{"alg":"HS512"}').toString('base64url')}.${payload}`;
    const forged = [
      `${header}.${Buffer.from(other).toString('base64url')}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${text}.${createHmac('sha512', TODAY).update(text).digest('base64url')}`,
      `${header}.${payload}.${signature.slice(0, -2)}`,
      '',
      'x',
      '..',
      `uis_${'0'.repeat(124)}`,
    ];
    for (const token of forged) expect(await tokensOf(TODAY).read(token)).toBeUndefined();
  });

  it('states that it is an operator’s, and then allows nothing else', async () => {
    const session = { ...sessionOf(60), role: 'operator' as const };
    const token = await tokensOf(TODAY).sign(session);
    expect(await tokensOf(TODAY).read(token)).toEqual(session);
    expect(decodeJwt(token)).toMatchObject({ aud: 'operator' });
  });

  it.each([
    ['of both roles', { aud: ['session', 'operator'] }],
    ['without the time of the sign-in', { auth_time: undefined }],
    ['for something else', { aud: 'something-else' }],
    ['of another service', { iss: 'another-service' }],
    ['of no account', { sub: 'somebody' }],
    ['without an end', { exp: undefined }],
    ['without an id', { jti: undefined }],
    ['of no session', { jti: 'something' }],
  ])('fails verification although our key signed it: %s', async (_what, changes) => {
    const claims = decodeJwt(await tokensOf(TODAY).sign(sessionOf(60)));
    const token = await new SignJWT(JSON.parse(JSON.stringify({ ...claims, ...changes })))
      .setProtectedHeader({ alg: 'HS256' })
      .sign(new TextEncoder().encode(TODAY));
    expect(await tokensOf(TODAY).read(token)).toBeUndefined();
  });
});
