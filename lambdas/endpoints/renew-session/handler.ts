/** `POST /api/v1/auth/renew`: begins a session that follows the one it is sent with, and ends that. */

import { cameByCookie, sessionCookie } from '../../core/access/session-cookie.ts';
import { renewedBody } from '../../core/access/session-requests.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const { sessions } = resources;
  return async (request, { session }) => {
    const renewed = await sessions.renew(session);
    const inCookie = cameByCookie(request.headers);
    return jsonResponse(renewedBody(renewed, inCookie), {
      'cache-control': 'no-store',
      ...(inCookie ? { 'set-cookie': sessionCookie(renewed.token, renewed.expiresInSeconds) } : {}),
    });
  };
});
