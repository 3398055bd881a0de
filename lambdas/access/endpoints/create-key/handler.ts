/** `POST /api-keys`: makes a key for the account that is signed in. */

import { readJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { issuedKeyEntry } from '../../core/keys/key-issuer.ts';
import { createKeyRequest } from '../../core/keys/key-requests.ts';
import { requireStorable } from '../../core/keys/policy.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyIssuer } from '../../store/create-accounts.ts';
import { createSecrets } from '../../store/keys/create-secrets.ts';

export const handler = sessionHandler('platform', (resources) => {
  const issuer = createKeyIssuer({ ...resources, ...createSecrets(resources) });
  const { clock, stage } = resources;
  return async (request, { session: { accountId } }) => {
    const { name, policy = {} } = validate(createKeyRequest, (await readJson(request)).value);
    requireStorable(policy, stage.layoutOf('keys'));
    const issued = await issuer.create(accountId, name, policy);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' }, 201);
  };
});
