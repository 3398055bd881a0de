/** `GET /openapi.json`: the description of the service, for tools. Its examples name the default models of the catalog in force. */
import { publicHandler } from '../../../access/handlers/handlers.ts';
import { describeService } from '../../../app/operations.ts';
import { catalogSource } from '../../../inference/handlers/catalog.ts';

/** Five minutes: it changes with a deployment, and with the default models. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=300' };

export const handler = publicHandler('platform', () => {
  const catalog = catalogSource();
  let described = { version: '', text: '' };
  return async () => {
    const { version, defaults } = await catalog();
    if (described.version !== version)
      described = { version, text: JSON.stringify(describeService(defaults)) };
    return { headers: HEADERS, text: described.text };
  };
});
