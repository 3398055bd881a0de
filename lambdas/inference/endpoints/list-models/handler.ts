/** `GET /v1/models`: every callable model, for SDK discovery. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { queryOf } from '../../../platform/core/api/paging.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { modelListBody } from '../../core/catalog/model-lists.ts';
import { catalogSource } from '../../handlers/catalog.ts';

export const handler = publicHandler('openai', () => {
  const catalog = catalogSource();
  return async (request) => jsonResponse(modelListBody((await catalog()).models, queryOf(request)));
});
