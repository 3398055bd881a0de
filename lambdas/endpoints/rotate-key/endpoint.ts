/** `POST /api-keys/{id}/rotate`: a new secret for a key; the old one stays good for the overlap. */
import { issuedKeyEntry, type KeyIssuer } from '../../core/access/key-issuer.ts';
import { rotateKeyRequest } from '../../core/access/key-requests.ts';
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';

export interface RotateKeyDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly issuer: KeyIssuer;
  readonly clock: Clock;
}

export function rotateKey({ sessions, issuer, clock }: RotateKeyDependencies): Endpoint {
  return async (request, { pathParameters }) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const { overlap_seconds: overlap } = validate(rotateKeyRequest, await readOptionalJson(request));
    const issued = await issuer.rotate(accountId, pathParameters.id ?? '', overlap);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' });
  };
}
