/** `GET /api/v1/operator/catalog`: the current catalog, and what it changed. */
import type { SessionEndpoint } from '../../core/access/session.ts';
import { ServiceError } from '../../core/errors.ts';
import { catalogView, type LatestCatalogs } from '../../core/inference/catalog/catalog-view.ts';
import { jsonResponse } from '../../core/json/json-response.ts';

export function getOperatorCatalog(read: LatestCatalogs): SessionEndpoint {
  return async () => {
    const { current, before } = await read();
    if (current === undefined) throw new ServiceError('not_found', 'No catalog has been applied.');
    return jsonResponse(catalogView(current, before));
  };
}
