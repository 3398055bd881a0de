/** Exchanging an authorization code for a token (RFC 6749, section 4.1.3; RFC 7636, section 4.5). */

import { ServiceError } from '../../../platform/core/errors.ts';
import type { CodeCredential } from '../../core/sessions/sign-in.ts';
import { invalidCode, providerUnavailable } from './identity-errors.ts';
import { fetchFromProvider } from './provider-request.ts';

/**
 * The method with which a client authenticates (OpenID Connect Core 1.0, section 9). A client without a secret only
 * sends its id.
 */
type ClientAuthentication = 'basic' | 'post';

export interface ExchangeClient {
  readonly id: string;
  readonly secret: string | undefined;
  readonly authentication: ClientAuthentication;
}

export interface CodeExchange {
  readonly fetch: typeof globalThis.fetch;
  readonly tokenEndpoint: string;
  readonly client: ExchangeClient;
  readonly credential: CodeCredential;
}

/**
 * The errors of providers for an invalid code, verifier or redirect URI (RFC 6749, section 5.2, and GitHub's separate
 * code).
 */
const INVALID_CODE_ERRORS = ['invalid_grant', 'invalid_request', 'bad_verification_code'];

/** Throws 400 when a code may not be sent there; without any such address the provider takes tokens only. */
export function requireRedirectUri(allowed: readonly string[] | undefined, redirectUri: string): void {
  if (allowed?.includes(redirectUri)) return;
  const message = 'redirect_uri: is not one of those in the settings of this identity provider.';
  throw new ServiceError('invalid_value', message, { param: 'redirect_uri' });
}

/**
 * Returns the token response, an object. Throws 401 `invalid_token` for a code that the provider rejects. Throws 503
 * `identity_provider_unavailable` if the provider does not respond, or rejects our credentials. No error contains
 * anything of either body.
 */
export async function exchangeCode({
  fetch,
  tokenEndpoint,
  client,
  credential,
}: CodeExchange): Promise<Readonly<Record<string, unknown>>> {
  const { code, codeVerifier, redirectUri } = credential;
  const { id, secret, authentication } = client;
  const basic = secret !== undefined && authentication === 'basic';
  const form = new URLSearchParams({
    grant_type: 'authorization_code',
    code,
    redirect_uri: redirectUri,
    code_verifier: codeVerifier,
    ...(basic ? {} : { client_id: id }),
    ...(secret === undefined || basic ? {} : { client_secret: secret }),
  });
  const { status, body } = await fetchFromProvider(fetch, tokenEndpoint, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/x-www-form-urlencoded',
      'user-agent': 'unified-inference-service',
      ...(basic ? { authorization: basicOf(id, secret) } : {}),
    },
    body: form.toString(),
  });
  const tokenResponse = Object(body) as Readonly<Record<string, unknown>>;
  // GitHub rejects with 200.
  if (status < 500 && INVALID_CODE_ERRORS.includes(String(tokenResponse.error))) throw invalidCode();
  if (status !== 200 || tokenResponse.error !== undefined)
    throw providerUnavailable(
      named(new Error(`the token endpoint returned ${status}`), 'TokenEndpointError'),
    );
  return tokenResponse;
}

/** Both parts are encoded as in a form first (RFC 6749, section 2.3.1). */
function basicOf(id: string, secret: string): string {
  const encoded = [id, secret].map((value) => new URLSearchParams({ '': value }).toString().slice(1));
  return `Basic ${Buffer.from(encoded.join(':')).toString('base64')}`;
}

/** The name is what the log shows. */
const named = (error: Error, name: string): Error => Object.assign(error, { name });
