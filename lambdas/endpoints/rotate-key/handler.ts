/** `POST /api-keys/{id}/rotate`: a new secret for a key; the old one stays good for the overlap. */

import { createKeyIssuer } from '../../adapters/access/create-accounts.ts';
import { createSecrets } from '../../adapters/access/create-secrets.ts';
import { issuedKeyEntry, type KeyIssuer } from '../../core/access/key-issuer.ts';
import { rotateKeyRequest } from '../../core/access/key-requests.ts';
import type { SessionEndpoint } from '../../core/access/session.ts';
import { readOptionalJson, validate } from '../../core/json/json-body.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Clock } from '../../core/ports.ts';
import { sessionHandler } from '../../hosts/handlers.ts';

function rotateKey(issuer: KeyIssuer, clock: Clock): SessionEndpoint {
  return async (request, { pathParameters: { id = '' }, session: { accountId } }) => {
    const { overlap_seconds: overlap } = validate(rotateKeyRequest, await readOptionalJson(request));
    const issued = await issuer.rotate(accountId, id, overlap);
    return jsonResponse(issuedKeyEntry(issued, clock()), { 'cache-control': 'no-store' });
  };
}

export const handler = sessionHandler('platform', (resources) =>
  rotateKey(createKeyIssuer({ ...resources, ...createSecrets(resources) }), resources.clock),
);
