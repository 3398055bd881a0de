/** `POST /api/v1/auth/renew`: begins a session that follows the one it is sent with, and ends that. */
import type { SessionEndpoint, Sessions } from '../../core/access/session.ts';
import { cameByCookie, sessionCookie } from '../../core/access/session-cookie.ts';
import { renewedBody } from '../../core/access/session-requests.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function renewSession(sessions: Pick<Sessions, 'renew'>): SessionEndpoint {
  return async (request, { session }) => {
    const renewed = await sessions.renew(session);
    const inCookie = cameByCookie(request.headers);
    return jsonResponse(renewedBody(renewed, inCookie), {
      'cache-control': 'no-store',
      ...(inCookie ? { 'set-cookie': sessionCookie(renewed.token, renewed.expiresInSeconds) } : {}),
    });
  };
}
