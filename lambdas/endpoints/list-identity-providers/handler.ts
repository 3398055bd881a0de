/** `GET /api/v1/auth/providers`: the identity providers that a browser can sign in with, and what it begins with. */

import { createOfferedProviders } from '../../adapters/access/offered-providers.ts';
import { type OfferedProvider, offeredProvidersBody } from '../../core/access/offered-providers.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { staticHandler } from '../../hosts/handlers.ts';

const listIdentityProviders =
  (offered: () => Promise<readonly OfferedProvider[]>): Endpoint =>
  async () =>
    jsonResponse(offeredProvidersBody(await offered()));

export const handler = staticHandler('platform', (resources) =>
  listIdentityProviders(createOfferedProviders(resources)),
);
