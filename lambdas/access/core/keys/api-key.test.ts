import { describe, expect } from '@jest/globals';
import fc from 'fast-check';
import { it } from '../../../../tools/test-kit/search.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { authenticate, formatKey, hashSecret, SECRET_BYTES, verifyKey } from './api-key.ts';

const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';
const ulid = fc.string({ unit: fc.constantFrom(...CROCKFORD), minLength: 26, maxLength: 26 });
const hex = (bytes: number) =>
  fc.uint8Array({ minLength: bytes, maxLength: bytes }).map((array) => Buffer.from(array).toString('hex'));
const parts = fc.record({
  accountId: ulid.map((id) => `acc_${id}`),
  keyId: ulid.map((id) => `key_${id}`),
  secret: hex(SECRET_BYTES),
});

const PEPPERS = { current: 'the pepper in use today' };
const KEY_PARTS = {
  accountId: 'acc_01K7A0000000000000000000AA',
  keyId: 'key_01K7A0000000000000000000BB',
  secret: 'ab'.repeat(SECRET_BYTES),
};
const KEY = formatKey(KEY_PARTS, PEPPERS);
const PRINTABLE = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index));

const rejectionOf = (headers: Record<string, string>): string => {
  try {
    authenticate(new Headers(headers), PEPPERS);
  } catch (failure) {
    if (failure instanceof ServiceError) return `${failure.status} ${failure.code}`;
    throw failure;
  }
  return 'none';
};

describe('the verification of a key', () => {
  it('accepts every key that the service created and returns its identity, with only a hash of its secret', () => {
    fc.assert(
      fc.property(parts, fc.string({ minLength: 16 }), (text, current) => {
        const key = formatKey(text, { current });
        const { accountId, keyId, secret } = text;
        expect(verifyKey(key, { current })).toEqual({ accountId, keyId, secretHash: hashSecret(secret) });
        expect(hashSecret(secret)).not.toContain(secret);
      }),
    );
  });

  it('rejects a key if any one character is replaced by any other', () => {
    for (let at = 0; at < KEY.length; at += 1) {
      for (const character of PRINTABLE) {
        if (character === KEY[at]) continue;
        const forged = KEY.slice(0, at) + character + KEY.slice(at + 1);
        if (verifyKey(forged, PEPPERS) !== undefined) throw new Error(`accepted a change at ${at}`);
      }
    }
  });

  it('rejects a key with a character missing, doubled, appended or swapped with its neighbor', () => {
    for (let at = 0; at < KEY.length; at += 1) {
      const [before, here, after] = [KEY.slice(0, at), KEY.charAt(at), KEY.slice(at + 1)];
      expect(verifyKey(before + after, PEPPERS)).toBeUndefined();
      expect(verifyKey(before + here + here + after, PEPPERS)).toBeUndefined();
      const swapped = before + after.slice(0, 1) + here + after.slice(1);
      if (swapped !== KEY) expect(verifyKey(swapped, PEPPERS)).toBeUndefined();
    }
    for (const tail of ['\n', ' ', '0', '\0']) expect(verifyKey(KEY + tail, PEPPERS)).toBeUndefined();
  });

  it('rejects every forged key with the right shape and a tag of the forger', () => {
    fc.assert(
      fc.property(parts, hex(16), fc.string(), (text, tag, pepper) => {
        const body = formatKey(text, { current: pepper }).slice(0, -32);
        expect(verifyKey(body + tag, PEPPERS)).toBeUndefined();
        expect(verifyKey(formatKey(text, { current: pepper }), PEPPERS)).toBeUndefined();
      }),
    );
  });

  it('accepts a key of the previous pepper until that pepper is removed', () => {
    const [current, previous] = ['a pepper of today', 'a pepper of yesterday'];
    const old = formatKey(KEY_PARTS, { current: previous });
    expect(verifyKey(old, { current, previous })?.keyId).toBe(KEY_PARTS.keyId);
    expect(verifyKey(old, { current })).toBeUndefined();
    expect(verifyKey(formatKey(KEY_PARTS, { current, previous }), { current })?.keyId).toBe(KEY_PARTS.keyId);
  });

  it('applies to keys of one format, which a secret scanner can match', () => {
    expect(KEY).toMatch(/^uis_[0-9A-Z]{52}[0-9a-f]{72}$/);
  });
});

describe('the authentication of a request', () => {
  it('takes the key from Authorization: Bearer, whatever the case of the scheme, or from X-API-Key', () => {
    for (const headers of [
      { authorization: `Bearer ${KEY}` },
      { authorization: `bearer ${KEY}` },
      { authorization: `BEARER   ${KEY}` },
      { 'x-api-key': KEY },
      { 'X-API-Key': ` ${KEY} ` },
      { authorization: `Bearer ${KEY}`, 'x-api-key': 'something else' },
      { authorization: 'Bearer a.session.token', 'x-api-key': KEY },
      { authorization: 'Basic dTpw', 'x-api-key': KEY },
      { authorization: 'Bearer sk-of-another-service', 'x-api-key': KEY },
    ]) {
      expect(authenticate(new Headers(headers), PEPPERS).keyId).toBe(KEY_PARTS.keyId);
    }
  });

  it('returns 401 missing_api_key if the request has no key', () => {
    expect(rejectionOf({})).toBe('401 missing_api_key');
    expect(rejectionOf({ 'content-type': 'application/json' })).toBe('401 missing_api_key');
    expect(rejectionOf({ authorization: 'Bearer ' })).toBe('401 missing_api_key');
  });

  it('returns an error that says that a session is no API key', () => {
    expect(() => authenticate(new Headers({ authorization: 'Bearer a.session.token' }), PEPPERS)).toThrow(
      'A session was sent where an API key is needed.',
    );
  });

  it.each([
    ['a key without a scheme', { authorization: KEY }],
    ['the Basic scheme', { authorization: `Basic ${Buffer.from(`user:${KEY}`).toString('base64')}` }],
    ['a key under the Basic scheme', { authorization: `Basic ${KEY}` }],
    ['an empty Authorization', { authorization: '' }],
    ['an empty X-API-Key', { 'x-api-key': '' }],
    ['another service’s key', { 'x-api-key': 'sk-proj-0123456789abcdef' }],
    ['two keys', { authorization: `Bearer ${KEY}, Bearer ${KEY}` }],
    [
      'a forged key in Authorization beside a genuine X-API-Key',
      { authorization: `Bearer ${KEY}0`, 'x-api-key': KEY },
    ],
    ['a session beside a forged X-API-Key', { authorization: 'Bearer a.b.c', 'x-api-key': `${KEY}0` }],
    ['a key of absurd length', { 'x-api-key': KEY.repeat(100) }],
  ])('returns 401 invalid_api_key for %s', (_case, headers) => {
    expect(rejectionOf(headers)).toBe('401 invalid_api_key');
  });

  it('never quotes the key that it rejects', () => {
    expect(() => authenticate(new Headers({ 'x-api-key': `${KEY}x` }), PEPPERS)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(KEY.slice(0, 20)) }),
    );
  });
});
