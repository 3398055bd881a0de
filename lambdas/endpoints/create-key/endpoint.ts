/** `POST /api-keys`: makes a key for the account that is signed in. */
import { issuedKeyEntry, type KeyIssuer } from '../../core/access/key-issuer.ts';
import { createKeyRequest } from '../../core/access/key-requests.ts';
import { authenticateSession, type Sessions } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock, Endpoint } from '../../core/ports.ts';

export interface CreateKeyDependencies {
  readonly sessions: Pick<Sessions, 'verify'>;
  readonly issuer: KeyIssuer;
  readonly clock: Clock;
}

export function createKey({ sessions, issuer, clock }: CreateKeyDependencies): Endpoint {
  return async (request) => {
    const accountId = await authenticateSession(request.headers, sessions);
    const { name, policy = {} } = validate(createKeyRequest, (await readJson(request)).value);
    const issued = await issuer.create(accountId, name, policy);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' }, 201);
  };
}
