/**
 * `GET /api/v1/auth/providers`: the identity providers that a browser can sign in with, and the data to start a
 * sign-in.
 */

import type { Body } from '../../../platform/core/api/response-schema.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { offeredProvidersSchema } from '../../core/identity/offered-providers.ts';
import { staticHandler } from '../../handlers/handlers.ts';
import { createOfferedProviders } from '../../store/identity/offered-providers.ts';

export const handler = staticHandler('platform', (resources) => {
  const offered = createOfferedProviders(resources);
  return async () => {
    const body: Body<typeof offeredProvidersSchema> = { object: 'list', data: [...(await offered())] };
    return jsonResponse(body);
  };
});
