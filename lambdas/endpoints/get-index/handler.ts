/** Wires `GET /` for Lambda. */
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { INTERFACE_VERSION, IP_REQUESTS_PER_MINUTE, SERVICE_NAME, VERSION } from '../../contract/limits.ts';
import { ROUTES } from '../../contract/routes.ts';
import { DEFAULT_RPM } from '../../core/access/key-state.ts';
import { QUOTAS } from '../../core/quotas.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { getIndex } from './endpoint.ts';

const endpoint = getIndex({
  name: SERVICE_NAME,
  version: VERSION,
  interface_version: INTERFACE_VERSION,
  endpoints: ROUTES.map(({ method, path, purpose }) => ({ method, path: path.replace('+}', '}'), purpose })),
  limits: {
    requests_per_minute_per_key: DEFAULT_RPM,
    requests_per_minute_per_ip: IP_REQUESTS_PER_MINUTE,
    ...QUOTAS,
  },
});

export const handler = buffered(
  front(endpoint, 'platform', { clock: systemClock, ulid: systemUlid, log: createLog() }),
);
