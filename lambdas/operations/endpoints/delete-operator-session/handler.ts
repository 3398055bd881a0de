/** `POST /api/v1/operator/sign-out`: ends the operator's session it is sent with. */
import { CLEARED_OPERATOR_COOKIE, isCookieSession } from '../../../access/core/sessions/session-cookie.ts';
import { operatorHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = operatorHandler('platform', ({ sessions }) => async (request, { session }) => {
  await sessions.end(session, false);
  const cleared = isCookieSession(request.headers) ? { 'set-cookie': CLEARED_OPERATOR_COOKIE } : {};
  return jsonResponse({ object: 'session', signed_out: true, everywhere: false }, cleared);
});
