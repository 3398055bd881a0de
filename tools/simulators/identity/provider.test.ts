import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { createLocalJWKSet, jwtVerify } from 'jose';
import {
  CLIENT_ID,
  DEMO_EMAIL,
  type LocalIdentityProvider,
  startIdentityProvider,
  subjectOf,
} from './provider.ts';

const REDIRECT = 'http://127.0.0.1:8787/console/';
const VERIFIER = 'v'.repeat(50);

let folder: string;
let provider: LocalIdentityProvider;
let nowMs: number;

const start = async (preferredPort = 0) => {
  provider = await startIdentityProvider({
    preferredPort,
    keyFile: join(folder, 'key.json'),
    clock: () => nowMs,
  });
  provider.allow([REDIRECT]);
};

beforeEach(async () => {
  nowMs = Date.now();
  folder = mkdtempSync(join(tmpdir(), 'identity-'));
  await start();
});
afterEach(async () => {
  await provider.stop();
  rmSync(folder, { recursive: true, force: true });
});

const REQUEST = {
  response_type: 'code',
  client_id: CLIENT_ID,
  redirect_uri: REDIRECT,
  scope: 'openid email',
  state: 'the state',
  nonce: 'the nonce',
  code_challenge: createHash('sha256').update(VERIFIER).digest('base64url'),
  code_challenge_method: 'S256',
};

const addressOf = (changes: object = {}): string =>
  `${provider.url}/authorize?${new URLSearchParams({ ...REQUEST, ...changes })}`;

const submit = (email: string, address = addressOf()) =>
  fetch(address, { method: 'POST', body: new URLSearchParams({ email }), redirect: 'manual' });

async function codeFor(email = DEMO_EMAIL): Promise<string> {
  const { headers } = await submit(email);
  return new URL(headers.get('location') ?? '').searchParams.get('code') ?? '';
}

async function exchange(code: string, changes: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${provider.url}/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT,
      code,
      code_verifier: VERIFIER,
      ...changes,
    }),
  });
  return [response.status, (await response.json()) as Readonly<Record<string, string>>] as const;
}

/** Verifies an ID token as a client does and returns its claims. */
async function claimsOf(idToken: string | undefined) {
  const keys = (await (await fetch(`${provider.url}/jwks`)).json()) as Parameters<
    typeof createLocalJWKSet
  >[0];
  const { payload } = await jwtVerify(idToken ?? '', createLocalJWKSet(keys), {
    issuer: provider.url,
    audience: CLIENT_ID,
    currentDate: new Date(nowMs),
  });
  return payload;
}

describe('the page', () => {
  it('repeats an invalid address as text, and prompts again', async () => {
    const response = await submit('"><script>alert(1)</script>');
    const html = await response.text();
    expect([response.status, response.headers.get('location')]).toEqual([400, null]);
    expect(html).toContain('role="alert"');
    expect(html).not.toContain('<script');
  });

  it.each([
    ['client', { client_id: 'another' }],
    ['redirect URI', { redirect_uri: 'https://evil.example/' }],
    ['redirect URI', { redirect_uri: `${REDIRECT}x` }],
    ['redirect URI', { redirect_uri: '' }],
  ])('returns no redirect for an unknown %s', async (_what, changes) => {
    for (const response of [
      await fetch(addressOf(changes), { redirect: 'manual' }),
      await submit(DEMO_EMAIL, addressOf(changes)),
    ])
      expect([response.status, response.headers.get('location')]).toEqual([400, null]);
  });

  it.each([
    ['unsupported_response_type', { response_type: 'token' }],
    ['invalid_scope', { scope: 'email' }],
    ['invalid_request', { code_challenge: '' }],
    ['invalid_request', { code_challenge: 'short' }],
    ['invalid_request', { code_challenge_method: 'plain' }],
    ['invalid_request', { code_challenge_method: '' }],
  ])('sends %s back to the client', async (error, changes) => {
    const response = await submit(DEMO_EMAIL, addressOf(changes));
    const url = new URL(response.headers.get('location') ?? '');
    expect(Object.fromEntries(url.searchParams)).toEqual({ error, state: 'the state' });
    const twice = await fetch(`${addressOf()}&nonce=again`, { redirect: 'manual' });
    expect(twice.headers.get('location')).toContain('error=invalid_request');
  });
});

describe('a code', () => {
  it('works once, within a minute, with its verifier and redirect URI', async () => {
    const rejection = [400, { error: 'invalid_grant' }];
    const code = await codeFor();
    expect((await exchange(code))[0]).toBe(200);
    expect(await exchange(code)).toEqual(rejection);
    const attacked = await codeFor();
    expect(await exchange(attacked, { code_verifier: 'w'.repeat(50) })).toEqual(rejection);
    expect(await exchange(attacked)).toEqual(rejection);
    expect(await exchange(await codeFor(), { redirect_uri: 'https://evil.example/' })).toEqual(rejection);
    expect(await exchange('made-up')).toEqual(rejection);
    const [late, intime] = [await codeFor(), await codeFor()];
    nowMs += 59_999;
    expect((await exchange(intime))[0]).toBe(200);
    nowMs += 1;
    expect(await exchange(late)).toEqual(rejection);
  });

  it.each([
    [{ client_id: 'another' }, 'invalid_client'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ])('works only for its client and its grant type: %j', async (changes, error) => {
    expect((await exchange(await codeFor(), changes))[1]).toEqual({ error });
  });
});

describe('the provider', () => {
  it('retains its key across a restart, readable only by its owner', async () => {
    const [, { id_token: idToken }] = await exchange(await codeFor());
    const { port } = new URL(provider.url);
    await provider.stop();
    await start(Number(port));
    expect(await claimsOf(idToken)).toMatchObject({ email: DEMO_EMAIL, nonce: 'the nonce' });
    expect(subjectOf('somebody@example.com')).not.toContain('somebody');
    expect(statSync(join(folder, 'key.json')).mode & 0o077).toBe(0);
    const keys = await (await fetch(`${provider.url}/jwks`)).text();
    expect(keys).not.toContain('"d"');
  });

  it('returns 400 for a body beyond its limit', async () => {
    const huge = await fetch(`${provider.url}/token`, { method: 'POST', body: 'x'.repeat(20_000) });
    expect(huge.status).toBe(400);
  });
});
