/** `GET /`: the gateway index. */

import { DEFAULT_RPM } from '../../../access/core/keys/key-state.ts';
import { staticHandler } from '../../../access/handlers/handlers.ts';
import { ROUTES } from '../../../app/routes.ts';
import {
  INDEX_VERSION,
  INTERFACE_VERSION,
  IP_REQUESTS_PER_MINUTE,
  SERVICE_NAME,
} from '../../../platform/contract/limits.ts';
import { RELEASE } from '../../../platform/contract/release.ts';
import { QUOTAS } from '../../../platform/core/api/quotas.ts';
import type { Index } from '../../../platform/core/api/service-status.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';

export const handler = staticHandler('platform', () => {
  const index: Index = {
    name: SERVICE_NAME,
    version: INDEX_VERSION,
    interface_version: INTERFACE_VERSION,
    release: RELEASE,
    endpoints: ROUTES.map(({ method, path, purpose }) => ({
      method,
      path: path.replace('+}', '}'),
      purpose,
    })),
    limits: {
      requests_per_minute_per_key: DEFAULT_RPM,
      requests_per_minute_per_ip: IP_REQUESTS_PER_MINUTE,
      ...QUOTAS,
    },
  };
  return async () => jsonResponse(index);
});
