/** `POST /api/v1/auth/renew`: begins a session that follows the one it is sent with, and ends that. */

import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { cameByCookie, sessionCookie } from '../../core/session-cookie.ts';
import { renewedBody } from '../../core/session-requests.ts';
import { sessionHandler } from '../../handlers/handlers.ts';

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
