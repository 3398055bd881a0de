/**
 * An OpenID Connect provider for this machine, on a real socket: discovery, keys, a page that asks for an email address
 * and believes it, authorization codes with PKCE and ID tokens (OpenID Connect Core 1.0, section 3.1).
 */
import { createHash, randomUUID } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { SignJWT } from 'jose';
import { readBytes, startLoopbackServer } from '../loopback-server.ts';
import { escapeHtml, page, pageHeaders } from '../pages.ts';
import { readAuthorization, readResponse, UntrustedRequest } from './authorization.ts';
import { Codes, type Grant } from './codes.ts';
import { ALGORITHM, openKey, type SigningKey } from './keys.ts';

export interface LocalIdentityProvider {
  /** Its address, which is the issuer. */
  readonly url: string;
  allow(redirectUris: readonly string[]): void;
  stop(): Promise<void>;
}

export interface IdentityProviderOptions {
  /** Any free port is taken when this one is not to be had; 0 wants none in particular. */
  readonly preferredPort: number;
  /** The file that stores the key across restarts. */
  readonly keyFile: string;
  readonly clock?: () => number;
}

/** The one client, which has no secret: its codes are bound to a verifier. */
export const CLIENT_ID = 'local-console';

/** The email address that the page proposes; the seed binds it to the demo account. */
export const DEMO_EMAIL = 'demo@example.com';

const MAX_BODY_BYTES = 16 * 1024;
const ID_TOKEN_SECONDS = 300;
const EMAIL = /^[^\s@<>"]{1,64}@[^\s@<>"]{1,189}$/;

/** The subject of an address: the same in any case, and not the address itself. */
export const subjectOf = (email: string): string =>
  createHash('sha256').update(email.toLowerCase()).digest('hex');

export async function startIdentityProvider(
  options: IdentityProviderOptions,
): Promise<LocalIdentityProvider> {
  const { clock = Date.now } = options;
  const provider = new Provider(await openKey(options.keyFile), clock);
  const { url, stop } = await startLoopbackServer((request, response) => {
    provider.answer(request, response).catch((failure: unknown) => reject(response, failure));
  }, options.preferredPort);
  provider.issuer = url;
  return {
    url,
    allow(redirectUris) {
      provider.redirectUris = redirectUris;
    },
    stop,
  };
}

class Provider {
  issuer = '';
  redirectUris: readonly string[] = [];
  readonly #key: SigningKey;
  readonly #clock: () => number;
  readonly #codes: Codes;

  constructor(key: SigningKey, clock: () => number) {
    this.#key = key;
    this.#clock = clock;
    this.#codes = new Codes(clock);
  }

  async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url ?? '/', this.issuer);
    const body = await readBytes(request, MAX_BODY_BYTES);
    if (body === undefined) throw new UntrustedRequest('The request is too large.');
    const form = new URLSearchParams(body.toString());
    switch (`${request.method} ${url.pathname}`) {
      case 'GET /.well-known/openid-configuration':
        return sendJson(response, 200, this.#document());
      case 'GET /jwks':
        return sendJson(response, 200, { keys: [this.#key.publicJwk] });
      case 'GET /authorize':
      case 'POST /authorize':
        return this.#authorize(url.searchParams, request.method === 'POST' ? form : undefined, response);
      case 'POST /token': {
        const [status, body] = await this.#token(form);
        return sendJson(response, status, body);
      }
      default:
        return sendJson(response, 404, { error: 'not_found' });
    }
  }

  #document(): object {
    const { issuer } = this;
    return {
      issuer,
      authorization_endpoint: `${issuer}/authorize`,
      token_endpoint: `${issuer}/token`,
      jwks_uri: `${issuer}/jwks`,
      response_types_supported: ['code'],
      grant_types_supported: ['authorization_code'],
      subject_types_supported: ['public'],
      id_token_signing_alg_values_supported: [ALGORITHM],
      token_endpoint_auth_methods_supported: ['none'],
      code_challenge_methods_supported: ['S256'],
      scopes_supported: ['openid', 'email'],
      claims_supported: ['sub', 'email', 'email_verified', 'nonce'],
    };
  }

  #authorize(query: URLSearchParams, form: URLSearchParams | undefined, response: ServerResponse): void {
    const authorization = readAuthorization(query, { id: CLIENT_ID, redirectUris: this.redirectUris });
    if (authorization instanceof URL) {
      redirect(response, authorization);
      return;
    }
    const email = form?.get('email')?.trim() ?? DEMO_EMAIL;
    if (form !== undefined && EMAIL.test(email)) {
      const code = this.#codes.issue({ ...authorization, email });
      redirect(response, readResponse(authorization, { code }));
      return;
    }
    const headers = pageHeaders(new URL(authorization.redirectUri).origin);
    response.writeHead(form === undefined ? 200 : 400, headers);
    response.end(signInPage(email, form !== undefined));
  }

  async #token(form: URLSearchParams): Promise<readonly [number, object]> {
    const field = (name: string) => form.get(name) ?? '';
    if (field('client_id') !== CLIENT_ID) return [401, { error: 'invalid_client' }];
    if (field('grant_type') !== 'authorization_code') return [400, { error: 'unsupported_grant_type' }];
    const grant = this.#codes.redeem(field('code'), field('code_verifier'), field('redirect_uri'));
    if (grant === undefined) return [400, { error: 'invalid_grant' }];
    const tokens = { id_token: await this.#idToken(grant), access_token: randomUUID() };
    return [200, { ...tokens, token_type: 'Bearer', expires_in: ID_TOKEN_SECONDS }];
  }

  #idToken({ email, nonce }: Grant): Promise<string> {
    const nowSeconds = Math.floor(this.#clock() / 1000);
    return new SignJWT({ email, email_verified: true, ...(nonce === undefined ? {} : { nonce }) })
      .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid: this.#key.id })
      .setIssuer(this.issuer)
      .setAudience(CLIENT_ID)
      .setSubject(subjectOf(email))
      .setIssuedAt(nowSeconds)
      .setExpirationTime(nowSeconds + ID_TOKEN_SECONDS)
      .sign(this.#key.privateKey);
  }
}

/** Asks who is signing in; the form goes to the page's own address, with its query. */
function signInPage(email: string, isInvalid: boolean): string {
  const problem = isInvalid ? '<p role="alert" id="problem">Enter an email address.</p>' : '';
  const marks = isInvalid ? ' aria-invalid="true" aria-describedby="problem"' : '';
  return page(
    'Sign in to the local service',
    `<p>A provider for this machine: any address signs in, without a password.</p>
${problem}
<form method="post"><label for="email">Email</label>
<input id="email" name="email" type="email" autocomplete="email" required maxlength="254" value="${escapeHtml(email)}"${marks}>
<button type="submit">Sign in</button></form>`,
  );
}

function redirect(response: ServerResponse, location: URL): void {
  response.writeHead(303, { location: location.href, 'cache-control': 'no-store' }).end();
}

function sendJson(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/json', 'cache-control': 'no-store' });
  response.end(JSON.stringify(body));
}

function reject(response: ServerResponse, failure: unknown): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  const isUntrusted = failure instanceof UntrustedRequest;
  if (!isUntrusted) console.error(failure);
  response.writeHead(isUntrusted ? 400 : 500, pageHeaders());
  const problem = isUntrusted ? failure.message : 'The provider itself failed.';
  response.end(page('This sign-in cannot begin', `<p role="alert">${escapeHtml(problem)}</p>`));
}
