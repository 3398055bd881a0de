/** `POST /api-keys`: makes a key for the account that is signed in. */

import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { issuedKeyEntry } from '../../core/access/key-issuer.ts';
import { createKeyRequest } from '../../core/access/key-requests.ts';
import { readJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const issuer = createKeyIssuer({ ...resources, ...createSecrets(resources) });
  const { clock } = resources;
  return async (request, { session: { accountId } }) => {
    const { name, policy = {} } = validate(createKeyRequest, (await readJson(request)).value);
    const issued = await issuer.create(accountId, name, policy);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' }, 201);
  };
});
