/** Wires `GET /api/v1/auth/providers` for Lambda. */
import { createOfferedProviders } from '../../adapters/access/offered-providers.ts';
import { staticHandler } from '../../hosts/public-handler.ts';
import { listIdentityProviders } from './endpoint.ts';

export const handler = staticHandler('platform', (resources) =>
  listIdentityProviders(createOfferedProviders(resources)),
);
