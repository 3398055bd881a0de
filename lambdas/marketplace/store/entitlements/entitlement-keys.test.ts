import { describe, expect, it } from '@jest/globals';
import { calculateJwkThumbprint, createLocalJWKSet, jwtVerify } from 'jose';
import { SERVICE_NAME } from '../../../platform/contract/limits.ts';
import { TOKEN_SECONDS } from '../../core/subscriptions/entitlement-token.ts';
import { createEntitlementKeys } from './entitlement-keys.ts';

const ISSUED = 1_800_000_000;
const LISTING = 'lst_1';
const claims = {
  audience: LISTING,
  subject: 'usr_1',
  source: 'subscription',
  plan: 'pro',
  issued: ISSUED,
  expires: ISSUED + TOKEN_SECONDS,
} as const;

const keysOf = (current: string, previous?: string) =>
  createEntitlementKeys(async () => ({ current, ...(previous === undefined ? {} : { previous }) }));

/** Verifies a token as a product does, with the keys that are listed. */
async function verify(
  token: string,
  listed: ReturnType<typeof keysOf>,
  { audience = LISTING, after = 0 } = {},
) {
  const keys = createLocalJWKSet(await listed.publicKeys());
  const currentDate = new Date((ISSUED + after) * 1000);
  return (await jwtVerify(token, keys, { audience, issuer: SERVICE_NAME, currentDate })).payload;
}

describe('an entitlement token', () => {
  it('states what an account has of one listing, and nothing else', async () => {
    const keys = keysOf('one');
    expect(await verify(await keys.sign(claims), keys)).toEqual({
      iss: SERVICE_NAME,
      aud: LISTING,
      sub: 'usr_1',
      source: 'subscription',
      plan: 'pro',
      iat: ISSUED,
      exp: ISSUED + 300,
    });
  });

  it('ends after five minutes, and verifies for its listing and under the keys of its service only', async () => {
    const keys = keysOf('one');
    const token = await keys.sign(claims);
    await verify(token, keys, { after: 299 });
    await expect(verify(token, keys, { after: 301 })).rejects.toThrow('"exp" claim');
    await expect(verify(token, keys, { audience: 'lst_2' })).rejects.toThrow('"aud" claim');
    await expect(verify(token, keysOf('two'))).rejects.toThrow('no applicable key');
    const [header = '', body = '', signature = ''] = token.split('.');
    const forged = Buffer.from(body, 'base64url').toString().replace('usr_1', 'usr_2');
    const changed = [header, Buffer.from(forged).toString('base64url'), signature].join('.');
    await expect(verify(changed, keys)).rejects.toThrow('signature verification failed');
  });

  it('verifies with a list of any step of a rotation', async () => {
    const steps = [keysOf('old'), keysOf('old', 'new'), keysOf('new', 'old')];
    const [, announced, used] = steps as [unknown, ReturnType<typeof keysOf>, ReturnType<typeof keysOf>];
    await verify(await used.sign(claims), announced);
    await verify(await announced.sign(claims), used);
    await verify(await keysOf('old').sign(claims), announced);
  });
});

describe('the listed keys', () => {
  it('contain no private part, and the id that a client computes', async () => {
    const { keys } = await keysOf('one', 'two').publicKeys();
    expect(keys).toHaveLength(2);
    for (const key of keys) {
      expect(Object.keys(key).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y']);
      expect(key.kid).toBe(await calculateJwkThumbprint(key));
    }
  });

  it('equal those of every other process', async () => {
    expect(await keysOf('one').publicKeys()).toEqual(await keysOf('one').publicKeys());
  });
});
