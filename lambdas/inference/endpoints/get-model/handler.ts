/** `GET /v1/models/{model}`: one callable model; ids may hold a slash, aliases resolve. */

import { publicHandler } from '../../../access/handlers/handlers.ts';
import { ServiceError } from '../../../platform/core/errors.ts';
import { jsonResponse } from '../../../platform/core/json/json-response.ts';
import { modelEntry } from '../../core/catalog/model-lists.ts';
import { catalogSource } from '../../handlers/catalog.ts';

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
