/** `POST /api-keys`: makes a key for the account that is signed in. */

import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { issuedKeyEntry, type KeyIssuer } from '../../core/access/key-issuer.ts';
import { createKeyRequest } from '../../core/access/key-requests.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function createKey(issuer: KeyIssuer, clock: Clock): SessionEndpoint {
  return async (request, { session: { accountId } }) => {
    const { name, policy = {} } = validate(createKeyRequest, (await readJson(request)).value);
    const issued = await issuer.create(accountId, name, policy);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' }, 201);
  };
}

export const handler = sessionHandler('platform', (resources) =>
  createKey(createKeyIssuer({ ...resources, ...createSecrets(resources) }), resources.clock),
);
