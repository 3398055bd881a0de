/** `GET /health`: whether the service can answer calls; one cheap read, and no detail that helps an attacker. */
import type { CatalogSource } from '../../core/inference/catalog.ts';
import { jsonResponse } from '../../core/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export function getHealth(catalog: CatalogSource, version: string): Endpoint {
  return async (_request, { log, requestId }) => {
    try {
      const { models } = await catalog();
      return jsonResponse({
        status: 'ok',
        version,
        checks: { database: 'ok', catalog: 'ok' },
        models: models.length,
      });
    } catch (failure) {
      log.error('unhealthy', { requestId, name: (failure as Error).name });
      return jsonResponse({ status: 'unavailable', version, checks: { catalog: 'failed' } }, {}, 503);
    }
  };
}
