/** `GET /`: the gateway index. */

import { INTERFACE_VERSION, IP_REQUESTS_PER_MINUTE, SERVICE_NAME, VERSION } from '../../contract/limits.ts';
import { ROUTES } from '../../contract/routes.ts';
import { DEFAULT_RPM } from '../../core/access/key-state.ts';
import { QUOTAS } from '../../core/api/quotas.ts';
import type { Index } from '../../core/api/service-status.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { staticHandler } from '../../hosts/handlers.ts';

export const handler = staticHandler('platform', () => {
  const index: Index = {
    name: SERVICE_NAME,
    version: VERSION,
    interface_version: INTERFACE_VERSION,
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
