import { generateKeyPairSync } from 'node:crypto';
import { inspect } from 'node:util';
import { describe, expect, it } from '@jest/globals';
import { jwtVerify } from 'jose';
import { wireServer } from '../../platform/testing/connections/wire-server.ts';
import { createAccessTokens } from './access-tokens.ts';

const entra = wireServer();

const SECRET = 'client-secret-7f3a';
const LIFE_SECONDS = 3_600;

/** A reader of tokens whose clock and secret a test sets. */
function reader(secret: () => string = () => credentials()) {
  const world = { now: 1_000_000 };
  const tokens = createAccessTokens({ fetch, readSecret: async () => secret(), clock: () => world.now });
  return { world, read: () => tokens.read('entra', 'env:CLIENT'), watched: tokens.watched };
}

const credentials = (fields: object = {}) =>
  JSON.stringify({
    tenant_id: 'contoso.example',
    client_id: 'app',
    client_secret: SECRET,
    authority: entra.origin,
    ...fields,
  });

/** Answers with tokens numbered from 1. */
function issue(expires: unknown = LIFE_SECONDS) {
  let issued = 0;
  entra.respond = (response) => {
    issued += 1;
    response.end(
      JSON.stringify({ token_type: 'Bearer', expires_in: expires, access_token: `token-${issued}` }),
    );
  };
}

const failureOf = async (read: () => Promise<string>): Promise<Error> => {
  try {
    return new Error(`no failure, but ${await read()}`);
  } catch (failure) {
    return failure as Error;
  }
};

describe('a token of Entra', () => {
  it('requires a request with the credentials of the secret', async () => {
    issue();
    expect(await reader().read()).toBe('token-1');
    expect(entra.requests).toMatchObject([{ method: 'POST', path: '/contoso.example/oauth2/v2.0/token' }]);
    const [{ headers, body } = { headers: {}, body: '' }] = entra.requests;
    expect(headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'app',
      client_secret: SECRET,
      scope: 'https://cognitiveservices.azure.com/.default',
    });
  });

  it('covers the scope of another cloud if the secret contains it', async () => {
    issue();
    const scope = 'https://cognitiveservices.azure.us/.default';
    await reader(() => credentials({ scope })).read();
    expect(new URLSearchParams(entra.requests[0]?.body).get('scope')).toBe(scope);
  });

  it('serves all concurrent readers after one request, and remains cached until five minutes before its expiry', async () => {
    issue();
    const { world, read } = reader();
    expect(await Promise.all([read(), read(), read()])).toEqual(['token-1', 'token-1', 'token-1']);
    world.now += (LIFE_SECONDS - 300) * 1_000 - 1;
    expect(await read()).toBe('token-1');
    world.now += 1;
    expect(await Promise.all([read(), read()])).toEqual(['token-2', 'token-2']);
    expect(entra.requests).toHaveLength(2);
  });

  it.each([
    ['60', 30_000],
    [60, 30_000],
  ])('remains cached for half of its life if that is short (%j s)', async (expires, cachedMs) => {
    issue(expires);
    const { world, read } = reader();
    await read();
    world.now += cachedMs - 1;
    expect(await read()).toBe('token-1');
    world.now += 1;
    expect(await read()).toBe('token-2');
  });

  it('yields to a new one if its secret is rotated', async () => {
    issue();
    let secret = credentials();
    const { read } = reader(() => secret);
    await read();
    secret = credentials({ client_secret: 'rotated' });
    expect(await read()).toBe('token-2');
    expect(new URLSearchParams(entra.requests[1]?.body).get('client_secret')).toBe('rotated');
  });

  it('requires a new request after a rejection, whose error contains nothing of the secret', async () => {
    entra.respond = (response) => void response.writeHead(401).end(JSON.stringify({ error: SECRET }));
    const { read } = reader();
    const failures = await Promise.all([failureOf(read), failureOf(read)]);
    for (const failure of failures) expect(failure.message).toBe('Microsoft Entra returned 401');
    expect(inspect(failures, { depth: 9 })).not.toContain(SECRET);
    expect(entra.requests).toHaveLength(1);
    issue();
    expect(await read()).toBe('token-1');
  });

  it.each([
    ['fetched anew after 401 to it', 401, 'token-1', 'token-2'],
    ['kept after another refusal', 403, 'token-1', 'token-1'],
    ['kept after 401 to another token', 401, 'token-0', 'token-1'],
  ])('depends on the status of the upstream: %s', async (_name, status, sentToken, then) => {
    issue();
    const { read, watched } = reader();
    expect(await read()).toBe('token-1');
    const upstream = watched(async () => new Response(null, { status }));
    const response = await upstream('https://azure.example', {
      headers: { authorization: `Bearer ${sentToken}` },
    });
    expect(response.status).toBe(status);
    expect(await Promise.all([read(), read()])).toEqual([then, then]);
  });

  it.each([
    ['no JSON', '<html>'],
    ['no token', JSON.stringify({ expires_in: 60 })],
    ['an empty token', JSON.stringify({ expires_in: 60, access_token: '' })],
    ['no life', JSON.stringify({ access_token: 'token' })],
  ])('causes an error if the response contains %s', async (_name, body) => {
    entra.respond = (response) => void response.end(body);
    expect((await failureOf(reader().read)).message).toBe('Microsoft Entra returned no token');
  });

  it('requires a response from its own address, so a redirect fails', async () => {
    entra.respond = (response) =>
      void response.writeHead(307, { location: `${entra.origin}/elsewhere` }).end();
    await failureOf(reader().read);
    expect(entra.requests).toHaveLength(1);
  });

  it.each<[string, object | undefined]>([
    ['no JSON', undefined],
    ['no tenant', { tenant_id: undefined }],
    ['a tenant with a path', { tenant_id: 'a/b' }],
    ['an authority in clear text', { authority: 'http://login.example.com' }],
    ['an authority that looks like this machine', { authority: 'http://localhost.example.com' }],
    ['a field that is not known', { certificate: 'x' }],
  ])('requires a valid secret before any request: %s', async (_name, fields) => {
    const secret = () => (fields === undefined ? SECRET : credentials(fields));
    const failure = await failureOf(reader(secret).read);
    expect(failure.message).toMatch(/^the secret is not JSON of the form/);
    expect(inspect(failure)).not.toContain(SECRET);
    expect(entra.requests).toEqual([]);
  });
});

const ellipticPem = () =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' })
    .privateKey.export({ type: 'pkcs8', format: 'pem' })
    .toString();

describe('a token of Google', () => {
  const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();
  const EMAIL = 'svc@project.iam.gserviceaccount.example';
  const account = (fields: object = {}) =>
    JSON.stringify({
      type: 'service_account',
      project_id: 'project',
      private_key_id: 'key-1',
      private_key: pem,
      client_email: EMAIL,
      token_uri: `${entra.origin}/token`,
      universe_domain: 'googleapis.com',
      ...fields,
    });
  const NOW = 1_800_000_000_000;
  const readerOf = (secret: string) => {
    const tokens = createAccessTokens({ fetch, readSecret: async () => secret, clock: () => NOW });
    return () => tokens.read('google', 'env:ACCOUNT');
  };

  it('requires a request with an assertion that the account’s key has signed', async () => {
    issue();
    const read = readerOf(account());
    expect(await Promise.all([read(), read()])).toEqual(['token-1', 'token-1']);
    expect(entra.requests).toMatchObject([{ method: 'POST', path: '/token' }]);
    const form = new URLSearchParams(entra.requests[0]?.body);
    expect([...form.keys()]).toEqual(['grant_type', 'assertion']);
    expect(form.get('grant_type')).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer');
    const { payload, protectedHeader } = await jwtVerify(form.get('assertion') ?? '', publicKey, {
      currentDate: new Date(NOW),
    });
    expect(protectedHeader).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' });
    expect(payload).toEqual({
      iss: EMAIL,
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: `${entra.origin}/token`,
      iat: NOW / 1_000,
      exp: NOW / 1_000 + 3_600,
    });
  });

  it('causes an error that does not contain the key if the request is rejected', async () => {
    entra.respond = (response) => void response.writeHead(400).end(JSON.stringify({ error: pem }));
    const failure = await failureOf(readerOf(account()));
    expect(failure.message).toBe('Google returned 400');
    expect(inspect(failure, { depth: 9 })).not.toContain(pem.slice(40, 80));
  });

  it.each<[string, object]>([
    ['another kind of credentials', { type: 'authorized_user' }],
    ['no key', { private_key: undefined }],
    ['a key in pieces', { private_key: `${pem.slice(0, 300)}-----` }],
    ['a key of another kind', { private_key: ellipticPem() }],
    ['an address in clear text', { token_uri: 'http://oauth2.example.com/token' }],
  ])('requires a valid secret before any request: %s', async (_name, fields) => {
    const failure = await failureOf(readerOf(account(fields)));
    expect(failure.message).toMatch(/^the (?:private_key of the )?secret is no/);
    expect(inspect(failure, { depth: 9 })).not.toContain(pem.slice(40, 80));
    expect(entra.requests).toEqual([]);
  });
});
