/** `GET /health`: whether the service can answer calls; two cheap reads, and no detail that helps an attacker. */

import type { Healthy, Unavailable } from '../../core/api/service-status.ts';
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export interface HealthDependencies {
  readonly catalog: CatalogSource;
  /** Rejects when the database does not answer; the catalog outlives that in memory for a while. */
  readonly probe: () => Promise<unknown>;
  readonly version: string;
}

export function getHealth({ catalog, probe, version }: HealthDependencies): Endpoint {
  return async (_request, { log, requestId }) => {
    try {
      await probe();
      const { models } = await catalog();
      const body: Healthy = {
        status: 'ok',
        version,
        checks: { database: 'ok', catalog: 'ok' },
        models: models.length,
      };
      return jsonResponse(body);
    } catch (failure) {
      log.error('unhealthy', { requestId, name: (failure as Error).name });
      const body: Unavailable = { status: 'unavailable', version, checks: { catalog: 'failed' } };
      return jsonResponse(body, {}, 503);
    }
  };
}
