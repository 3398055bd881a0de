/** Requests for an authorization code, checked (RFC 6749, section 4.1.1; RFC 7636, section 4.3). */

import type { Grant } from './codes.ts';

export interface AuthorizationRequest extends Omit<Grant, 'email'> {
  readonly state: string | undefined;
}

/** A request that must not be answered with a redirect: nobody knows that the address is the client's. */
export class UntrustedRequest extends Error {}

export interface OidcClient {
  readonly id: string;
  readonly redirectUris: readonly string[];
}

/** The request, or the address that says to the client what is wrong with it. Throws `UntrustedRequest`. */
export function readAuthorization(query: URLSearchParams, client: OidcClient): AuthorizationRequest | URL {
  const redirectUri = query.get('redirect_uri') ?? '';
  if (query.get('client_id') !== client.id) throw new UntrustedRequest('The client_id is not known.');
  if (!client.redirectUris.includes(redirectUri))
    throw new UntrustedRequest('The redirect_uri is not one of this client.');
  const error = errorIn(query);
  if (error !== undefined) return readResponse({ redirectUri, state: query.get('state') }, { error });
  return {
    redirectUri,
    codeChallenge: query.get('code_challenge') ?? '',
    nonce: query.get('nonce') ?? undefined,
    state: query.get('state') ?? undefined,
  };
}

function errorIn(query: URLSearchParams): string | undefined {
  if (new Set(query.keys()).size !== query.size) return 'invalid_request';
  if (query.get('response_type') !== 'code') return 'unsupported_response_type';
  if (!(query.get('scope') ?? '').split(' ').includes('openid')) return 'invalid_scope';
  const challenged = /^[\w-]{43}$/.test(query.get('code_challenge') ?? '');
  return challenged && query.get('code_challenge_method') === 'S256' ? undefined : 'invalid_request';
}

/** Returns the next address of the browser: the client's address with these parameters and the state that it sent. */
export function readResponse(
  { redirectUri, state }: { readonly redirectUri: string; readonly state?: string | null | undefined },
  parameters: Readonly<Record<string, string>>,
): URL {
  const url = new URL(redirectUri);
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
  if (typeof state === 'string') url.searchParams.set('state', state);
  return url;
}
