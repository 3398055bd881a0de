/** `GET /.well-known/jwks.json`: the public keys of entitlement tokens. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { entitlementKeysOf } from '../../store/entitlements/entitlement-keys.ts';

/** An announced key signs an hour later, so that every copy has it by then. */
const HEADERS = { 'cache-control': 'public, max-age=300' };

export const handler = publicHandler('platform', (resources) => {
  const keys = entitlementKeysOf(resources);
  return async () => jsonResponse(await keys.publicKeys(), HEADERS);
});
