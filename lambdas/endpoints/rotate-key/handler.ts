/** `POST /api-keys/{id}/rotate`: a new secret for a key; the old one stays good for the overlap. */

import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { issuedKeyEntry } from '../../core/access/key-issuer.ts';
import { rotateKeyRequest } from '../../core/access/key-requests.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

export const handler = sessionHandler('platform', (resources) => {
  const issuer = createKeyIssuer({ ...resources, ...createSecrets(resources) });
  const { clock } = resources;
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { overlap_seconds: overlap } = validate(rotateKeyRequest, await readOptionalJson(request));
    const issued = await issuer.rotate(accountId, id, overlap);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' });
  };
});
