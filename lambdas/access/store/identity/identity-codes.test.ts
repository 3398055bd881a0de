import type { ServerResponse } from 'node:http';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, jest } from '@jest/globals';
import {
  GITHUB_CLIENT,
  GITHUB_SECRET,
  startGitHub,
} from '../../../../tools/simulators/identity/github-server.ts';
import { CLIENT_ID, OpenIdProvider } from '../../../../tools/simulators/identity/openid-provider.ts';
import { TokenServer } from '../../../../tools/simulators/identity/token-server.ts';
import type { LoopbackServer } from '../../../../tools/simulators/loopback-server.ts';
import { SILENT } from '../../../ledger/testing/running-ledger.ts';
import type { ServiceError } from '../../../platform/core/errors.ts';
import type { Log } from '../../../platform/core/ports.ts';
import type { CodeCredential, IdentityVerifier } from '../../core/sessions/sign-in.ts';
import { createIdentityVerifier } from './identity-verifier.ts';
import { createOfferedProviders } from './offered-providers.ts';

const provider = new OpenIdProvider();
let github: LoopbackServer;
let tokens: TokenServer;
let verifier: IdentityVerifier;
let logged: unknown[] = [];
let secrets: Record<string, string> = {};

const LOG: Log = { ...SILENT, warn: (...line) => logged.push(line) };
const REDIRECT = 'https://console.example/console/';
const CREDENTIAL: CodeCredential = {
  code: 'canary-of-a-code',
  codeVerifier: `canary-of-a-verifier${'v'.repeat(30)}`,
  redirectUri: REDIRECT,
  nonce: 'the nonce',
};

const oidc = (fields: object = {}) => ({
  type: 'oidc',
  issuer: provider.issuer,
  audience: ['another', CLIENT_ID],
  clientId: CLIENT_ID,
  redirectUris: ['https://first.example/', REDIRECT],
  tokenEndpoint: `${tokens.url}/token`,
  ...fields,
});

const environmentOf = (settings: object) => ({
  IDENTITY_PROVIDERS: JSON.stringify(settings),
  IDENTITY_SECRET: 'identity',
});

const verifierOf = (settings: object): IdentityVerifier =>
  createIdentityVerifier({
    environment: environmentOf(settings),
    readSecret: async (reference) => {
      const field = reference.split('#')[1];
      return field === undefined ? JSON.stringify(secrets) : (secrets[field] ?? '');
    },
    clock: Date.now,
    log: LOG,
  });

const exchange = (changes: Partial<CodeCredential> = {}, name = 'test') =>
  verifier.verify(name, { ...CREDENTIAL, ...changes });

const failureOf = (outcome: Promise<unknown>) =>
  outcome.then(
    (value) => ({ code: `accepted ${JSON.stringify(value)}`, status: 200, param: null }),
    ({ code, status, param }: ServiceError) => ({ code, status, param }),
  );
const codeOf = async (outcome: Promise<unknown>) => (await failureOf(outcome)).code;

/** The settings of a provider that is discovered at the token server, in a document with these fields. */
function discovered(fields: object = {}) {
  tokens.document = {
    issuer: tokens.url,
    jwks_uri: `${provider.issuer}/jwks`,
    token_endpoint: `${tokens.url}/token`,
    ...fields,
  };
  return oidc({ issuer: tokens.url, tokenEndpoint: undefined });
}

/** Issues the code of `CREDENTIAL` for an ID token with these claims. */
async function issue(claims: Record<string, unknown> = {}): Promise<string> {
  const idToken = await provider.idToken('somebody', { claims: { nonce: 'the nonce', ...claims } });
  const { codeVerifier, code, redirectUri } = CREDENTIAL;
  tokens.issue(code, { redirectUri, verifier: codeVerifier, response: { id_token: idToken } });
  return idToken;
}

beforeAll(async () => {
  await provider.start();
  github = await startGitHub();
});
afterAll(async () => {
  await provider.stop();
  await github.stop();
});
beforeEach(async () => {
  tokens = new TokenServer();
  await tokens.start();
  logged = [];
  secrets = { github: GITHUB_SECRET };
  verifier = verifierOf({
    test: oidc(),
    github: {
      type: 'github',
      clientId: GITHUB_CLIENT,
      apiUrl: github.url,
      oauthUrl: tokens.url,
      redirectUris: [REDIRECT],
    },
  });
});
afterEach(() => tokens.stop());

describe('an authorization code', () => {
  it('yields an ID token and signs its subject in', async () => {
    await issue();
    expect(await exchange()).toEqual({ issuer: provider.issuer, subject: 'somebody' });
    expect(tokens.requests.map(({ form }) => form)).toEqual([
      {
        grant_type: 'authorization_code',
        code: CREDENTIAL.code,
        code_verifier: CREDENTIAL.codeVerifier,
        redirect_uri: REDIRECT,
        client_id: CLIENT_ID,
      },
    ]);
    expect(tokens.requests.map(({ headers }) => 'authorization' in headers)).toEqual([false]);
  });

  it('works once, only with its verifier and the redirect URI that it was sent to', async () => {
    await issue();
    expect(await codeOf(exchange())).toContain('accepted');
    expect(await failureOf(exchange())).toEqual({ code: 'invalid_token', status: 401, param: 'code' });
    await issue();
    expect(await codeOf(exchange({ codeVerifier: 'w'.repeat(43) }))).toBe('invalid_token');
    await issue();
    expect(await codeOf(exchange({ redirectUri: 'https://first.example/' }))).toBe('invalid_token');
    expect(await codeOf(exchange({ code: 'made-up' }))).toBe('invalid_token');
  });

  it.each([
    ['another nonce', { nonce: 'another' }],
    ['another client of ours', { aud: 'another' }],
  ])('fails with 401 if its ID token has %s', async (_what, claims) => {
    await issue(claims);
    expect(await failureOf(exchange())).toEqual({ code: 'invalid_token', status: 401, param: 'code' });
  });

  it.each([
    ['redirect_uri', { redirectUri: 'https://evil.example/' }],
    ['redirect_uri', { redirectUri: `${REDIRECT}?x=1` }],
    ['redirect_uri', { redirectUri: REDIRECT.slice(0, -1) }],
    ['nonce', { nonce: undefined }],
  ])('fails with 400 before any request to the provider if its %s is not valid', async (param, changes) => {
    await issue();
    expect(await failureOf(exchange(changes))).toMatchObject({ status: 400, param });
    expect(tokens.requests).toEqual([]);
  });

  it('fails if its provider has no redirect URIs in the settings', async () => {
    verifier = verifierOf({ test: { type: 'oidc', issuer: provider.issuer, audience: CLIENT_ID } });
    expect(await failureOf(exchange())).toMatchObject({ status: 400, param: 'redirect_uri' });
  });

  it('reads its token endpoint from discovery, and sends the client’s secret by a method that the provider accepts', async () => {
    const methods = (supported?: string[]) => {
      verifier = verifierOf({ test: discovered({ token_endpoint_auth_methods_supported: supported }) });
    };
    const shown = async (): Promise<readonly unknown[]> => {
      await issue({ iss: tokens.url });
      expect(await codeOf(exchange())).toContain('accepted');
      const { headers, form } = tokens.requests.at(-1) ?? { headers: {}, form: {} };
      return [headers.authorization, form.client_id, form.client_secret];
    };
    methods();
    expect(await shown()).toEqual([undefined, CLIENT_ID, undefined]);
    secrets.test = 'a secret: 100%';
    const basic = Buffer.from(`${CLIENT_ID}:a+secret%3A+100%25`).toString('base64');
    expect(await shown()).toEqual([`Basic ${basic}`, undefined, undefined]);
    methods(['client_secret_post', 'client_secret_basic']);
    expect(await shown()).toEqual([`Basic ${basic}`, undefined, undefined]);
    methods(['client_secret_post']);
    expect(await shown()).toEqual([undefined, CLIENT_ID, 'a secret: 100%']);
  });

  it('goes to the configured endpoint, whatever a discovery document contains', async () => {
    const settings = discovered({
      token_endpoint: `${tokens.url}/elsewhere`,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    });
    secrets.test = 'a secret';
    verifier = verifierOf({ test: { ...settings, tokenEndpoint: `${tokens.url}/token` } });
    await issue({ iss: tokens.url });
    expect(await codeOf(exchange())).toContain('accepted');
    const { headers, form } = tokens.requests.at(-1) ?? { headers: {}, form: {} };
    expect([headers.authorization, form.client_secret]).toEqual([
      `Basic ${Buffer.from(`${CLIENT_ID}:a+secret`).toString('base64')}`,
      undefined,
    ]);
  });

  it('fails if the discovery document lists a token endpoint without TLS', async () => {
    verifier = verifierOf({ test: discovered({ token_endpoint: 'http://example.com/token' }) });
    expect(await codeOf(exchange())).toBe('identity_provider_unavailable');
  });
});

describe('a failing token endpoint', () => {
  const json = (status: number, body: string) => (response: ServerResponse) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(body);

  it.each([
    ['answers with 500', json(500, '{"error":"invalid_grant"}')],
    ['answers with 429', json(429, '{}')],
    ['does not know the client', json(401, '{"error":"invalid_client"}')],
    ['does not authorize the client', json(400, '{"error":"unauthorized_client"}')],
    ['rejects the client with status 200', json(200, '{"error":"incorrect_client_credentials"}')],
    ['answers with HTML', json(200, '<html>canary-of-an-answer</html>')],
    ['rejects the code in HTML', json(400, '<html>canary-of-an-answer</html>')],
    ['answers with nothing', json(200, '')],
    ['answers with null', json(200, 'null')],
    ['answers with a list', json(200, '["canary-of-an-answer"]')],
    ['returns no token', json(200, '{"token_type":"Bearer"}')],
    ['returns a token that is not a string', json(200, '{"id_token":{"a":1},"access_token":[1]}')],
    ['answers with more than 64 KB', json(200, `{"id_token":"${'x'.repeat(70_000)}"}`)],
    [
      'never ends its answer',
      (response: ServerResponse) => {
        const timer = setInterval(() => response.write(' '.repeat(8_192)), 1);
        response.on('close', () => clearInterval(timer));
      },
    ],
    [
      'breaks off',
      (response: ServerResponse) => {
        response.write('{"id_token":');
        setTimeout(() => response.destroy(), 20);
      },
    ],
    ['redirects', (response: ServerResponse) => response.writeHead(302, { location: '/elsewhere' }).end()],
    [
      'redirects with the body',
      (response: ServerResponse) => response.writeHead(307, { location: '/token' }).end(),
    ],
  ])('causes a 503 at both types of provider if it %s', async (_what, misbehaviour) => {
    tokens.misbehaviour = misbehaviour;
    for (const name of ['test', 'github'])
      expect(await failureOf(exchange({}, name))).toMatchObject({
        code: 'identity_provider_unavailable',
        status: 503,
      });
    expect(tokens.requests).toHaveLength(2);
    expect(tokens.requestedPaths).toEqual([]);
    expect(logged).toHaveLength(2);
    expect(JSON.stringify(logged)).not.toMatch(/canary|secret/);
  });

  it('causes a 503 after four seconds if it responds slowly', async () => {
    const end = new AbortController();
    const timeout = jest.spyOn(AbortSignal, 'timeout').mockReturnValueOnce(end.signal);
    tokens.misbehaviour = (response) => {
      response.write(' ');
      end.abort();
    };
    expect(await codeOf(exchange())).toBe('identity_provider_unavailable');
    expect(timeout).toHaveBeenCalledWith(4_000);
    timeout.mockRestore();
  });

  it('leaves neither code nor token in an error if it rejects the code or returns an invalid token', async () => {
    const idToken = await issue({ aud: 'somebody-else' });
    const wrong = { code: 'canary-of-another-code' };
    for (const failing of [() => exchange(), () => exchange(wrong), () => exchange(wrong, 'github')]) {
      const failure = await failing().then(
        () => undefined,
        (reason: Error) => reason,
      );
      const { message, stack } = failure ?? new Error('accepted');
      expect(`${message} ${stack}`).not.toMatch(/canary|secret of|accepted/);
      expect(`${message} ${stack}`).not.toContain(idToken.slice(0, 30));
    }
    expect(logged).toEqual([]);
  });
});

describe('a code of GitHub', () => {
  it('yields an access token, which must be of our app like one from a caller', async () => {
    const { code, redirectUri, codeVerifier } = CREDENTIAL;
    const give = (token: string) =>
      tokens.issue(code, { redirectUri, verifier: codeVerifier, response: { access_token: token } });
    give('gho_ours');
    expect(await exchange({}, 'github')).toEqual({ issuer: 'https://github.com', subject: '583231' });
    const { form, headers } = tokens.requests[0] ?? { form: {}, headers: {} };
    expect(form).toMatchObject({ client_id: GITHUB_CLIENT, client_secret: GITHUB_SECRET, code });
    expect(headers.accept).toBe('application/json');
    give('gho_of_another_app');
    expect(await failureOf(exchange({}, 'github'))).toEqual({
      code: 'invalid_token',
      status: 401,
      param: 'code',
    });
    give('gho_breaks');
    expect(await codeOf(exchange({}, 'github'))).toBe('identity_provider_unavailable');
  });

  it('fails with 401 if GitHub rejects it, which GitHub does with status 200', async () => {
    tokens.misbehaviour = (response) => response.end('{"error":"bad_verification_code"}');
    expect(await codeOf(exchange({}, 'github'))).toBe('invalid_token');
  });
});

describe('the list of providers for a browser', () => {
  let nowMs = 1_000_000;
  const listOf = (settings: object) =>
    createOfferedProviders({ environment: environmentOf(settings), clock: () => nowMs, log: LOG });

  it('contains those with a client id and redirect URIs, and the data to start a sign-in', async () => {
    const gitHub = { type: 'github', clientId: GITHUB_CLIENT };
    const list = listOf({
      tokens: { type: 'oidc', issuer: provider.issuer, audience: CLIENT_ID },
      unlisted: oidc({ redirectUris: undefined }),
      found: oidc(),
      set: oidc({ authorizationEndpoint: 'https://a.example/authorize', displayName: 'A name' }),
      'github-tokens': gitHub,
      github: { ...gitHub, redirectUris: [REDIRECT] },
    });
    const common = { client_id: CLIENT_ID, scope: 'openid email', type: 'oidc' };
    expect(await list()).toEqual([
      { id: 'found', name: 'found', authorization_endpoint: `${provider.issuer}/authorize`, ...common },
      { id: 'set', name: 'A name', authorization_endpoint: 'https://a.example/authorize', ...common },
      {
        id: 'github',
        name: 'github',
        type: 'github',
        client_id: GITHUB_CLIENT,
        scope: '',
        authorization_endpoint: 'https://github.com/login/oauth/authorize',
      },
    ]);
  });

  it('omits a provider that is down, and retries it only after a delay', async () => {
    const passing = new TokenServer();
    await passing.start();
    passing.document = { hello: 'world' };
    const list = listOf({ down: oidc({ issuer: passing.url }), up: oidc() });
    const ids = async () => (await list()).map(({ id }) => id);
    expect([await ids(), await ids()]).toEqual([['up'], ['up']]);
    expect(passing.requestedPaths).toHaveLength(1);
    expect(logged).toHaveLength(1);
    passing.document = {
      issuer: passing.url,
      jwks_uri: `${passing.url}/jwks`,
      authorization_endpoint: `${passing.url}/authorize`,
    };
    nowMs += 5_000;
    expect([await ids(), await ids()]).toEqual([
      ['down', 'up'],
      ['down', 'up'],
    ]);
    expect(passing.requestedPaths).toHaveLength(2);
    await passing.stop();
    expect(await ids()).toEqual(['down', 'up']);
  });
});
