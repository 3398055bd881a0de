/** `GET /api/v1/models`: the catalog of `GET /v1/models` with prices. */
import { type CatalogSource, priceEntry } from '../../core/inference/catalog/catalog.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export function listPrices(catalog: CatalogSource): Endpoint {
  return async () => {
    const models = (await catalog()).models.map(priceEntry);
    return jsonResponse({ count: models.length, models });
  };
}
