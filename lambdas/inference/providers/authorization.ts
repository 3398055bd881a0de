/**
 * The authorization of a request over HTTP: the route's key in a header, a token of Entra or Google, or the function's
 * own role.
 */

import type { RequestSigner, SecretReader, TokenReader } from '../../platform/core/ports.ts';
import { signedFor } from '../core/catalog/aws-address.ts';
import type { CatalogRoute } from '../core/catalog/catalog-document.ts';
import { UpstreamFailure } from '../core/upstream/provider.ts';
import { readKey } from './http-upstream.ts';

export interface KeyDependencies {
  readonly readSecret: SecretReader;
  /** For routes whose `auth` is `entra` or `google`. */
  readonly readToken: TokenReader;
}

export interface AuthorizationDependencies extends KeyDependencies {
  /** Signs for routes whose `auth` is `sigv4`. */
  readonly sign: RequestSigner;
}

export type AuthorizedRoute = Pick<
  CatalogRoute,
  'auth' | 'secret' | 'base_url' | 'aws_service' | 'aws_region'
>;

/** A POST that is yet to be authorised. */
export interface UnauthorizedPost {
  readonly url: string;
  readonly body: string;
  /** Headers that the protocol requires in addition to the key; they are signed too. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The header in which a protocol takes a key. */
export type KeyHeader = (key: string) => Readonly<Record<string, string>>;

const bearer: KeyHeader = (key) => ({ authorization: `Bearer ${key}` });

/** All headers of the POST. Throws `UpstreamFailure` when the key, the token or the role's credentials cannot be had. */
export async function authorizationOf(
  dependencies: AuthorizationDependencies,
  route: AuthorizedRoute,
  { url, body, headers = {} }: UnauthorizedPost,
  keyHeader = bearer,
): Promise<Readonly<Record<string, string>>> {
  if (route.auth !== 'sigv4') return { ...headers, ...(await keyHeadersOf(dependencies, route, keyHeader)) };
  const address = signedFor(route);
  // The catalog rejects such a route.
  if (address === undefined) throw new UpstreamFailure('secret');
  const signed = { 'content-type': 'application/json', ...headers };
  return dependencies.sign({ url, ...address, headers: signed, body }).catch((cause: unknown) => {
    throw new UpstreamFailure('secret', { cause });
  });
}

/** Azure's header of a key (Azure OpenAI REST API reference, Authentication). */
const azureKey: KeyHeader = (key) => ({ 'api-key': key });

/** The headers of a route that is not signed. Throws `UpstreamFailure` when its key or token cannot be had. */
export async function keyHeadersOf(
  { readSecret, readToken }: KeyDependencies,
  { auth, secret }: Pick<CatalogRoute, 'auth' | 'secret'>,
  keyHeader = bearer,
): Promise<Readonly<Record<string, string>>> {
  if (auth === 'entra' || auth === 'google') {
    const token = await readKey((reference) => readToken(auth, reference), secret);
    return token === undefined ? {} : bearer(token);
  }
  const key = await readKey(readSecret, secret);
  if (key === undefined) return {};
  return auth === 'api-key' ? azureKey(key) : keyHeader(key);
}
