/** `POST /api/v1/operator/sign-out`: ends the operator's session it is sent with. */
import { CLEARED_OPERATOR_COOKIE, cameByCookie } from '../../core/access/session-cookie.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { operatorHandler } from '../../hosts/handlers.ts';

export const handler = operatorHandler('platform', ({ sessions }) => async (request, { session }) => {
  await sessions.end(session, false);
  const cleared = cameByCookie(request.headers) ? { 'set-cookie': CLEARED_OPERATOR_COOKIE } : {};
  return jsonResponse({ object: 'session', signed_out: true, everywhere: false }, cleared);
});
