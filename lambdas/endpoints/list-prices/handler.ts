/** `GET /api/v1/models`: the catalog of `GET /v1/models` with prices. */
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import { priceListBody } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

const listPrices =
  (catalog: CatalogSource): Endpoint =>
  async () =>
    jsonResponse(priceListBody((await catalog()).models));

export const handler = publicHandler('openai', () => listPrices(catalogSource()));
