/** `POST /api/v1/auth/{identity_provider}`: a token of the provider for a session of ours. */

import { signInRequest } from '../../core/access/session-requests.ts';
import { type SignInDependencies, signedInBody, signIn } from '../../core/access/sign-in.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export function createSession(dependencies: SignInDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const credential = validate(signInRequest, (await readJson(request)).value);
    const signedIn = await signIn(dependencies, pathParameters.identity_provider ?? '', credential);
    return jsonResponse(signedInBody(signedIn), { 'cache-control': 'no-store' });
  };
}
