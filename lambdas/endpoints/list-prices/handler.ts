/** `GET /api/v1/models`: the catalog of `GET /v1/models` with prices. */
import { priceListBody } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = publicHandler('openai', () => {
  const catalog = catalogSource();
  return async () => jsonResponse(priceListBody((await catalog()).models));
});
