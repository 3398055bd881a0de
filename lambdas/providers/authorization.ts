/** How a request over HTTP is authorised: by the route's key in the protocol's header, or by the function's own role. */
import { signedFor } from '../core/inference/catalog/aws-address.ts';
import type { Route } from '../core/inference/catalog/catalog-document.ts';
import { UpstreamFailure } from '../core/inference/upstream/provider.ts';
import type { RequestSigner, SecretReader } from '../core/ports.ts';
import { readKey } from './http-upstream.ts';

export interface AuthorizationDependencies {
  readonly readSecret: SecretReader;
  /** Signs for routes whose `auth` is `sigv4`. */
  readonly sign: RequestSigner;
}

export type AuthorizedRoute = Pick<Route, 'auth' | 'secret' | 'base_url' | 'aws_service' | 'aws_region'>;

/** A POST that is yet to be authorised. */
export interface UnauthorizedPost {
  readonly url: string;
  readonly body: string;
  /** What the protocol wants beside the key; it is signed too. */
  readonly headers?: Readonly<Record<string, string>>;
}

/** The header in which a protocol takes a key. */
export type KeyHeader = (key: string) => Readonly<Record<string, string>>;

export const bearer: KeyHeader = (key) => ({ authorization: `Bearer ${key}` });

/** All headers of the POST. Throws `UpstreamFailure` when the key or the role's credentials cannot be read. */
export async function authorizationOf(
  { readSecret, sign }: AuthorizationDependencies,
  route: AuthorizedRoute,
  { url, body, headers = {} }: UnauthorizedPost,
  keyHeader = bearer,
): Promise<Readonly<Record<string, string>>> {
  if (route.auth === 'sigv4') {
    const address = signedFor(route);
    // The catalog refuses such a route.
    if (address === undefined) throw new UpstreamFailure('secret');
    const signed = { 'content-type': 'application/json', ...headers };
    return sign({ url, ...address, headers: signed, body }).catch((cause: unknown) => {
      throw new UpstreamFailure('secret', { cause });
    });
  }
  const key = await readKey(readSecret, route.secret);
  return key === undefined ? headers : { ...headers, ...keyHeader(key) };
}
