/** `GET /v1/models/{model}`: one callable model; ids may hold a slash, aliases resolve. */
import { ServiceError } from '../../core/errors.ts';
import { modelEntry } from '../../core/inference/catalog/model-lists.ts';
import { jsonResponse } from '../../core/json/json-response.ts';
import { publicHandler } from '../../hosts/handlers.ts';
import { catalogSource } from '../../hosts/resources.ts';

export const handler = publicHandler('openai', () => {
  const catalog = catalogSource();
  return async (_request, { pathParameters }) => {
    const name = pathParameters.model ?? '';
    const model = (await catalog()).find(name);
    const message = `There is no model named ${JSON.stringify(name)}.`;
    if (model === undefined) throw new ServiceError('not_found', message, { param: 'model' });
    return jsonResponse(modelEntry(model));
  };
});
