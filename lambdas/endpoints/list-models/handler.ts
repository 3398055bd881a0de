/** `GET /v1/models`: every callable model, for SDK discovery. */
import { queryOf } from '../../core/api/paging.ts';
import { modelListBody } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = publicHandler('openai', () => {
  const catalog = catalogSource();
  return async (request) => jsonResponse(modelListBody((await catalog()).models, queryOf(request)));
});
