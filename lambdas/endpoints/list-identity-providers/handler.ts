/** `GET /api/v1/auth/providers`: the identity providers that a browser can sign in with, and what it begins with. */

import { createOfferedProviders } from '../../adapters/access/offered-providers.ts';
import { offeredProvidersBody } from '../../core/access/offered-providers.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { staticHandler } from '../../hosts/handlers.ts';

export const handler = staticHandler('platform', (resources) => {
  const offered = createOfferedProviders(resources);
  return async () => jsonResponse(offeredProvidersBody(await offered()));
});
