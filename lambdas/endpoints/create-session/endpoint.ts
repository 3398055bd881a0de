/** `POST /api/v1/auth/{identity_provider}`: a token of the provider for a session of ours. */

import { accountEntry } from '../../core/access/accounts.ts';
import { signInRequest } from '../../core/access/session-requests.ts';
import { type SignInDependencies, signIn } from '../../core/access/sign-in.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export function createSession(dependencies: SignInDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const credential = validate(signInRequest, (await readJson(request)).value);
    const signedIn = await signIn(dependencies, pathParameters.identity_provider ?? '', credential);
    const body = {
      access_token: signedIn.accessToken,
      token_type: 'Bearer',
      expires_in: signedIn.expiresInSeconds,
      account: accountEntry(signedIn.account),
    };
    return jsonResponse(body, { 'cache-control': 'no-store' });
  };
}
