/** `POST /api/v1/auth/{identity_provider}`: exchanges a token or a code of the provider for a session. */

import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { sessionCookie } from '../../core/sessions/session-cookie.ts';
import { credentialIn, signInRequest, wantsCookie } from '../../core/sessions/session-requests.ts';
import { signedInBody, signIn } from '../../core/sessions/sign-in.ts';
import { publicHandler } from '../../handlers/handlers.ts';
import { createAccounts } from '../../store/create-accounts.ts';
import { createIdentityVerifier } from '../../store/identity/identity-verifier.ts';
import { createSessions } from '../../store/sessions/session-tokens.ts';

export const handler = publicHandler('platform', (resources) => {
  const { sessions, readSecret } = createSessions(resources);
  const verifier = createIdentityVerifier({ ...resources, readSecret });
  const dependencies = { verifier, accounts: createAccounts(resources), sessions };
  return async (request, { pathParameters }) => {
    const inCookie = wantsCookie(request.headers);
    const body = validate(signInRequest, (await readJson(request)).value);
    const { role = 'owner' } = body;
    const provider = pathParameters.identity_provider ?? '';
    const signedIn = await signIn(dependencies, { provider, credential: credentialIn(body), role });
    return jsonResponse(signedInBody(signedIn, inCookie), {
      'cache-control': 'no-store',
      ...(inCookie
        ? { 'set-cookie': sessionCookie(signedIn.accessToken, signedIn.expiresInSeconds, role) }
        : {}),
    });
  };
});
