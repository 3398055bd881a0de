import { createHmac, type webcrypto } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { exportSPKI, generateKeyPair, importJWK, SignJWT } from 'jose';
import {
  GITHUB_CLIENT,
  GITHUB_SECRET,
  startGitHub,
} from '../../../../tools/simulators/identity/github-server.ts';
import { CLIENT_ID, OpenIdProvider } from '../../../../tools/simulators/identity/openid-provider.ts';
import type { LoopbackServer } from '../../../../tools/simulators/loopback-server.ts';
import { SILENT } from '../../../ledger/testing/running-ledger.ts';
import type { Log } from '../../../platform/core/ports.ts';
import type { IdentityVerifier } from '../../core/sessions/sign-in.ts';
import { createIdentityVerifier } from './identity-verifier.ts';

const provider = new OpenIdProvider();
let github: LoopbackServer;
let verifier: IdentityVerifier;
let logged: unknown[] = [];

const LOG: Log = { ...SILENT, warn: (...line) => logged.push(line) };

const verifierOf = (settings: object, fetch = provider.fetch): IdentityVerifier =>
  createIdentityVerifier({
    environment: { IDENTITY_PROVIDERS: JSON.stringify(settings), IDENTITY_SECRET: 'identity' },
    readSecret: async (reference) => {
      if (reference !== 'secretsmanager:identity#github') throw new Error(`there is no secret ${reference}`);
      return GITHUB_SECRET;
    },
    clock: Date.now,
    log: LOG,
    fetch,
  });

const oidc = (fields: object = {}) => ({
  type: 'oidc',
  issuer: provider.issuer,
  audience: CLIENT_ID,
  ...fields,
});
const verify = (token: string, nonce?: string) => verifier.verify('test', { token, nonce });
const code = (outcome: Promise<unknown>): Promise<string> =>
  outcome.then(
    (value) => `accepted ${JSON.stringify(value)}`,
    (failure: { code?: string }) => failure.code ?? String(failure),
  );

beforeAll(async () => {
  await provider.start();
  github = await startGitHub();
});
afterAll(async () => {
  await provider.stop();
  await github.stop();
});
beforeEach(() => {
  logged = [];
  provider.fetched = [];
  verifier = verifierOf({
    test: oidc(),
    github: { type: 'github', clientId: GITHUB_CLIENT, apiUrl: github.url },
  });
});

describe('an ID token', () => {
  it('signs its subject in, and with a nonce only if it contains that one', async () => {
    const token = await provider.idToken('somebody', { claims: { nonce: 'the nonce' } });
    expect(await verify(token, 'the nonce')).toMatchObject({ issuer: provider.issuer, subject: 'somebody' });
    expect(await code(verify(token, 'another nonce'))).toBe('invalid_token');
    expect(await code(verify(await provider.idToken('somebody'), 'a nonce'))).toBe('invalid_token');
  });

  it.each<[Record<string, unknown>, string | undefined]>([
    [{ email: 'a@example.com', email_verified: true }, 'a@example.com'],
    [{ email: 'a@example.com', email_verified: 'true' }, 'a@example.com'],
    [{ email: 'a@example.com', email_verified: false }, undefined],
    [{ email: 'a@example.com' }, undefined],
    [{ email: 'not an address', email_verified: true }, undefined],
  ])('gives the address that the issuer has checked, and no other: %j', async (claims, email) => {
    expect((await verify(await provider.idToken('somebody', { claims }))).email).toBe(email);
  });

  const nowSeconds = Math.floor(Date.now() / 1000);
  it.each([
    ['that has ended', { exp: nowSeconds - 120 }],
    ['that never ends', { exp: undefined }],
    ['that has not begun', { nbf: nowSeconds + 120 }],
    ['without a subject', { sub: undefined }],
    ['with an empty subject', { sub: '' }],
    ['with a list for a subject', { sub: ['somebody'] }],
    ['with a number for a subject', { sub: 1 }],
    ['with an object for a subject', { sub: { toString: 'somebody' } }],
    ['for another audience', { aud: 'client-of-somebody-else' }],
    ['for nobody', { aud: undefined }],
    ['for several, issued to another', { aud: [CLIENT_ID, 'other'], azp: 'other' }],
    ['for several, issued to nobody', { aud: [CLIENT_ID, 'other'] }],
    ['of another issuer', { iss: 'https://accounts.example.com' }],
    ['of an issuer with a longer name', () => ({ iss: `${provider.issuer}/` })],
  ])('fails verification: %s', async (_what, changes) => {
    const claims = typeof changes === 'function' ? changes() : changes;
    expect(await code(verify(await provider.idToken('somebody', { claims })))).toBe('invalid_token');
  });

  it.each([
    ['that ended a moment ago, by a clock that is behind', { exp: nowSeconds - 20 }],
    ['that begins in a moment, by a clock that is ahead', { nbf: nowSeconds + 20, iat: nowSeconds + 20 }],
    ['for several, issued to us', { aud: ['other', CLIENT_ID], azp: CLIENT_ID }],
  ])('passes verification: %s', async (_what, claims) => {
    expect(await code(verify(await provider.idToken('somebody', { claims })))).toContain('accepted');
  });

  it('fails verification if another key than the provider’s signed it, whatever key it names', async () => {
    const { privateKey } = await generateKeyPair('RS256');
    for (const kid of ['first', 'second', undefined]) {
      const token = await new SignJWT({ sub: 'somebody' })
        .setProtectedHeader({ alg: 'RS256', ...(kid === undefined ? {} : { kid }) })
        .setIssuer(provider.issuer)
        .setAudience(CLIENT_ID)
        .setIssuedAt()
        .setExpirationTime('5m')
        .sign(privateKey);
      expect(await code(verify(token))).toBe('invalid_token');
    }
  });

  it('fails verification if it is signed with the provider’s public key as a shared secret', async () => {
    const jwk = await provider.publicKey('first');
    const key = await importJWK(jwk, 'RS256', { extractable: true });
    const [header = '', payload = ''] = (await provider.idToken('somebody')).split('.');
    const forged = { ...JSON.parse(Buffer.from(header, 'base64url').toString()), alg: 'HS256' };
    const text = `${Buffer.from(JSON.stringify(forged)).toString('base64url')}.${payload}`;
    const secrets = [await exportSPKI(key as webcrypto.CryptoKey), JSON.stringify(jwk), String(jwk.n)];
    for (const secret of secrets) {
      const signature = createHmac('sha256', secret).update(text).digest('base64url');
      expect(await code(verify(`${text}.${signature}`))).toBe('invalid_token');
    }
  });

  it('fails verification if it has no signature, an invalid one or that of other claims', async () => {
    const [header = '', payload = '', signature = ''] = (await provider.idToken('somebody')).split('.');
    const claims = { ...JSON.parse(Buffer.from(payload, 'base64url').toString()), sub: 'somebody-else' };
    const none = Buffer.from('{"alg":"none"}').toString('base64url');
    const tokens = [
      `${header}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.${signature}`,
      `${none}.${payload}.`,
      `${none}.${payload}.${signature}`,
      `${header}.${payload}.`,
      `${header}.${payload}`,
      `${header}.${payload}.${signature.slice(0, -4)}AAAA`,
      'token',
      'a.b.c',
      '..',
    ];
    for (const token of tokens) expect(await code(verify(token))).toBe('invalid_token');
  });

  it('fails verification if its type is that of an access token or a logout token', async () => {
    for (const typ of ['at+jwt', 'application/at+jwt', 'logout+jwt']) {
      const token = await provider.idToken('somebody', { header: { typ } });
      expect(await code(verify(token))).toBe('invalid_token');
    }
  });
});

describe('a signature', () => {
  // Each that is of a pair of keys (RFC 7518, section 3.1; RFC 8037; RFC 9864), as jose implements them.
  it.each([
    'RS256',
    'RS384',
    'RS512',
    'PS256',
    'PS384',
    'PS512',
    'ES256',
    'ES384',
    'ES512',
    'EdDSA',
    'Ed25519',
  ])('passes verification under the asymmetric algorithm %s, and a forged one fails', async (algorithm) => {
    await provider.addKey(algorithm, algorithm);
    const token = await provider.idToken('somebody', { kid: algorithm });
    expect(await verify(token)).toMatchObject({ subject: 'somebody' });
    const [header = '', payload = ''] = token.split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toMatchObject({ alg: algorithm });
    const forged = `${header}.${payload}.${Buffer.alloc(64, 1).toString('base64url')}`;
    expect(await code(verify(forged))).toBe('invalid_token');
  });
});

describe('the keys of a provider', () => {
  it('load once, and a token that cannot be valid does not load them', async () => {
    await code(verify('a.b.c'));
    await code(verify(await provider.idToken('somebody', { claims: { iss: 'https://example.com' } })));
    expect(provider.fetched).toEqual([]);
    for (let time = 0; time < 3; time += 1) await verify(await provider.idToken('somebody'));
    expect(provider.fetched).toEqual(['/.well-known/openid-configuration', '/jwks']);
  });

  it('reload at most once a second when the provider adds a key, also of another type', async () => {
    const now = jest.spyOn(Date, 'now').mockReturnValue(Date.now());
    try {
      await verify(await provider.idToken('somebody', { kid: 'first' }));
      await provider.addKey('second', 'ES256');
      const tokens = await Promise.all(
        ['second', 'first'].map((kid) => provider.idToken('somebody', { kid })),
      );
      const [changed = '', unchanged = ''] = tokens;
      now.mockReturnValue(Date.now() + 999);
      expect(await code(verify(changed))).toBe('invalid_token');
      now.mockReturnValue(Date.now() + 1);
      for (const token of [changed, unchanged])
        expect(await verify(token)).toMatchObject({ subject: 'somebody' });
      expect(provider.fetched.filter((path) => path === '/jwks')).toHaveLength(2);
    } finally {
      now.mockRestore();
    }
  });

  it('verify a token without a key id, whichever of them signed it', async () => {
    await provider.addKey('third');
    for (const kid of ['first', 'third']) {
      const token = await provider.idToken('somebody', { kid, header: { kid: undefined } });
      expect(await code(verify(token))).toContain('accepted');
    }
  });

  it('load from the configured URI without discovery', async () => {
    verifier = verifierOf({ test: oidc({ jwksUri: `${provider.issuer}/jwks` }) });
    await verify(await provider.idToken('somebody'));
    expect(provider.fetched).toEqual(['/jwks']);
  });
});

describe('a provider', () => {
  it('returns not_found if the configuration does not contain it', async () => {
    const token = await provider.idToken('somebody');
    for (const name of ['google', '', '__proto__', 'constructor']) {
      expect(await code(verifier.verify(name, { token }))).toBe('not_found');
    }
  });

  it('fails verification if its discovery document names another issuer', async () => {
    const issuer = `${provider.issuer}/`;
    verifier = verifierOf({ test: oidc({ issuer }) });
    const token = await provider.idToken('somebody', { claims: { iss: issuer } });
    expect(await code(verify(token))).toBe('identity_provider_unavailable');
  });

  it('causes a 503 and a log entry without the token while it does not respond, and recovers afterwards', async () => {
    const passing = new OpenIdProvider();
    await passing.start();
    const { port, issuer } = passing;
    const token = await passing.idToken('somebody');
    await passing.stop();
    verifier = verifierOf({ test: { type: 'oidc', issuer, audience: CLIENT_ID } });
    const failure = await verify(token).catch((reason: unknown) => reason);
    expect(failure).toMatchObject({
      code: 'identity_provider_unavailable',
      status: 503,
      retryAfterSeconds: 5,
    });
    expect(logged).toHaveLength(1);
    expect(JSON.stringify(logged)).not.toContain(token.slice(0, 20));
    await passing.start(port);
    expect(await code(verify(await passing.idToken('somebody')))).toContain('accepted');
    await passing.stop();
  });

  it.each(['jwks that are no keys', 'jwks that fail'])('causes a 503 if it has %s', async (what) => {
    const bad = async () =>
      what === 'jwks that fail' ? new Response('', { status: 500 }) : Response.json({ keys: 'none' });
    verifier = verifierOf({ test: oidc({ jwksUri: 'https://example.com/jwks' }) }, bad);
    expect(await code(verify(await provider.idToken('somebody')))).toBe('identity_provider_unavailable');
  });

  it('issues tokens under another issuer name if the configuration lists that name', async () => {
    verifier = verifierOf({ test: oidc({ otherIssuers: ['accounts.example.com'] }) });
    const token = await provider.idToken('somebody', { claims: { iss: 'accounts.example.com' } });
    expect(await verify(token)).toMatchObject({ issuer: provider.issuer, subject: 'somebody' });
  });
});

describe('a GitHub access token', () => {
  const signIn = (token: string, nonce?: string) => verifier.verify('github', { token, nonce });

  it('signs its owner in if it belongs to our app', async () => {
    expect(await signIn('gho_ours')).toEqual({ issuer: 'https://github.com', subject: '583231' });
  });

  it.each(['gho_of_another_app', 'gho_unknown', 'gho_revoked_meanwhile', 'not a token', 'a\r\nb'])(
    'fails verification if it is not valid: %j',
    async (token) => {
      expect(await code(signIn(token))).toBe('invalid_token');
    },
  );

  it('fails if the sign-in requires a nonce, which it cannot contain', async () => {
    expect(await code(signIn('gho_ours', 'nonce'))).toBe('invalid_token');
  });

  it.each(['gho_breaks', 'gho_limited', 'gho_nonsense', 'gho_long'])(
    'causes a 503 if GitHub fails or sends an invalid or too long response: %s',
    async (token) => {
      expect(await code(signIn(token))).toBe('identity_provider_unavailable');
    },
  );
});
