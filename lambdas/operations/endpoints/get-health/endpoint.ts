/**
 * `GET /health`: returns whether the service can handle calls. It costs two inexpensive reads, and returns no detail
 * that helps an attacker.
 */

import type { CatalogSource } from '../../../inference/core/catalog/catalog.ts';
import type { Healthy, Unavailable } from '../../../platform/core/api/service-status.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import type { Endpoint } from '../../../platform/core/ports.ts';

export interface HealthDependencies {
  readonly catalog: CatalogSource;
  /** Rejects if the database does not respond; the catalog stays in memory for a while longer. */
  readonly probe: () => Promise<unknown>;
  readonly version: string;
}

export function getHealth({ catalog, probe, version }: HealthDependencies): Endpoint {
  return async (_request, { log, requestId }) => {
    try {
      await probe();
      const { models } = await catalog();
      const checks = { database: 'ok', catalog: 'ok' } as const;
      return jsonResponse({ status: 'ok', version, checks, models: models.length } satisfies Healthy);
    } catch (failure) {
      log.error('unhealthy', { requestId, name: (failure as Error).name });
      const body: Unavailable = { status: 'unavailable', version, checks: { catalog: 'failed' } };
      return jsonResponse(body, {}, 503);
    }
  };
}
