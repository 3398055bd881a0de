/** `POST /api/v1/auth/sign-out`: ends the session it is sent with, or all of the account's. */

import { readOptionalJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { CLEARED_SESSION_COOKIE, isCookieSession } from '../../core/sessions/session-cookie.ts';
import { signOutRequest } from '../../core/sessions/session-requests.ts';
import { sessionHandler } from '../../handlers/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { sessions } = resources;
  return async (request, { session }) => {
    const { everywhere } = validate(signOutRequest, await readOptionalJson(request));
    await sessions.end(session, everywhere);
    const cleared = isCookieSession(request.headers) ? { 'set-cookie': CLEARED_SESSION_COOKIE } : {};
    return jsonResponse({ object: 'session', signed_out: true, everywhere }, cleared);
  };
});
