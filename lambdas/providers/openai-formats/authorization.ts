/** How a request to a server of OpenAI's protocols is authorised: by a bearer key, or by the function's own role. */
import type { Route } from '../../core/inference/catalog/catalog-document.ts';
import { UpstreamFailure } from '../../core/inference/upstream/provider.ts';
import type { RequestSigner, SecretReader } from '../../core/ports.ts';
import { readKey } from '../http-upstream.ts';

export interface AuthorizationDependencies {
  readonly readSecret: SecretReader;
  /** Signs for routes whose `auth` is `sigv4`. */
  readonly sign: RequestSigner;
}

/** The headers that authorise the POST of `body` to `url`. Throws `UpstreamFailure` when the key or the role cannot be read. */
export async function authorizationOf(
  { readSecret, sign }: AuthorizationDependencies,
  { auth, secret }: Pick<Route, 'auth' | 'secret'>,
  { url, body }: { readonly url: string; readonly body: string },
): Promise<Readonly<Record<string, string>>> {
  if (auth === 'sigv4') {
    return sign({ url, headers: { 'content-type': 'application/json' }, body }).catch((cause: unknown) => {
      throw new UpstreamFailure('secret', { cause });
    });
  }
  const key = await readKey(readSecret, secret);
  return key === undefined ? {} : { authorization: `Bearer ${key}` };
}
