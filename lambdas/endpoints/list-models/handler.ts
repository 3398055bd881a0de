/** `GET /v1/models`: every callable model, for SDK discovery. */
import { queryOf } from '../../core/api/paging.ts';
import type { CatalogSource } from '../../core/inference/catalog/catalog.ts';
import { modelListBody } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

const listModels =
  (catalog: CatalogSource): Endpoint =>
  async (request) =>
    jsonResponse(modelListBody((await catalog()).models, queryOf(request)));

export const handler = publicHandler('openai', () => listModels(catalogSource()));
