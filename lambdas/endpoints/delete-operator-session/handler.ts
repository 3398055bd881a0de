/** `POST /api/v1/operator/sign-out`: ends the operator's session it is sent with. */
import type { SessionEndpoint, Sessions } from '../../core/access/session.ts';
import { CLEARED_OPERATOR_COOKIE, cameByCookie } from '../../core/access/session-cookie.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

function deleteOperatorSession(sessions: Pick<Sessions, 'end'>): SessionEndpoint {
  return async (request, { session }) => {
    await sessions.end(session, false);
    const cleared = cameByCookie(request.headers) ? { 'set-cookie': CLEARED_OPERATOR_COOKIE } : {};
    return jsonResponse({ object: 'session', signed_out: true, everywhere: false }, cleared);
  };
}

export const handler = operatorHandler('platform', ({ sessions }) => deleteOperatorSession(sessions));
