/** `POST /api-keys/{id}/rotate`: creates a new secret for a key; the old one stays valid for the overlap. */

import { readOptionalJson, validate } from '../../../platform/core/json/json-body.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { issuedKeyEntry } from '../../core/keys/key-issuer.ts';
import { rotateKeyRequest } from '../../core/keys/key-requests.ts';
import { sessionHandler } from '../../handlers/handlers.ts';
import { createKeyIssuer } from '../../store/create-accounts.ts';
import { createSecrets } from '../../store/keys/create-secrets.ts';

export const handler = sessionHandler('platform', (resources) => {
  const issuer = createKeyIssuer({ ...resources, ...createSecrets(resources) });
  const { clock } = resources;
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { overlap_seconds: overlap } = validate(rotateKeyRequest, await readOptionalJson(request));
    const issued = await issuer.rotate(accountId, id, overlap);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' });
  };
});
