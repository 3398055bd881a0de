/** `POST /api/v1/auth/renew`: starts a session that replaces the one of the request, and ends the latter. */

import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { isCookieSession, sessionCookie } from '../../core/sessions/session-cookie.ts';
import { renewedBody } from '../../core/sessions/session-requests.ts';
import { sessionHandler } from '../../handlers/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { sessions } = resources;
  return async (request, { session }) => {
    const renewed = await sessions.renew(session);
    const inCookie = isCookieSession(request.headers);
    return jsonResponse(renewedBody(renewed, inCookie), {
      'cache-control': 'no-store',
      ...(inCookie ? { 'set-cookie': sessionCookie(renewed.token, renewed.expiresInSeconds) } : {}),
    });
  };
});
