/** `GET /v1/models`: every callable model, for SDK discovery. */
import { queryOf } from '../../core/api/paging.ts';
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import { modelListBody } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { catalogSource } from '../../hosts/catalog.ts';
import { publicHandler } from '../../hosts/public-handler.ts';

const listModels =
  (catalog: CatalogSource): Endpoint =>
  async (request) =>
    jsonResponse(modelListBody((await catalog()).models, queryOf(request)));

export const handler = publicHandler('openai', () => listModels(catalogSource()));
