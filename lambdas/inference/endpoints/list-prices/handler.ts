/** `GET /api/v1/models`: the catalog of `GET /v1/models` with prices. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { priceListBody } from '../../core/catalog/model-lists.ts';
import { catalogSource } from '../../handlers/catalog.ts';

export const handler = publicHandler('openai', () => {
  const catalog = catalogSource();
  return async () => jsonResponse(priceListBody(await catalog()));
});
