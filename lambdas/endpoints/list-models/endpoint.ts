/** `GET /v1/models`: every callable model, for SDK discovery. */
import { type CatalogSource, modelEntry } from '../../core/inference/catalog/catalog.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import type { Endpoint } from '../../core/ports.ts';

/** One page holds the whole catalog; the paging fields are those that the Messages SDK reads. */
export function listModels(catalog: CatalogSource): Endpoint {
  return async () => {
    const data = (await catalog()).models.map(modelEntry);
    return jsonResponse({
      object: 'list',
      data,
      has_more: false,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
    });
  };
}
