/** `POST /api/v1/auth/sign-out`: ends the session it is sent with, or all of the account's. */
import { readSession, type Sessions } from '../../core/access/session.ts';
import { signOutRequest } from '../../core/access/session-requests.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface DeleteSessionDependencies {
  readonly sessions: Pick<Sessions, 'verify' | 'end'>;
}

export function deleteSession({ sessions }: DeleteSessionDependencies): Endpoint {
  return async (request) => {
    const session = await readSession(request.headers, sessions);
    const { everywhere } = validate(signOutRequest, await readOptionalJson(request));
    await sessions.end(session, everywhere);
    return jsonResponse({ object: 'session', signed_out: true, everywhere });
  };
}
