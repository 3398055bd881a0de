/** `GET /api/v1/models`: the catalog of `GET /v1/models` with prices. */
import { type CatalogSource, priceListBody } from '../../core/inference/catalog/catalog.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

export const listPrices =
  (catalog: CatalogSource): Endpoint =>
  async () =>
    jsonResponse(priceListBody((await catalog()).models));
