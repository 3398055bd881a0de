/** `GET /openapi.json`: the description of the service, for tools. */
import { staticHandler } from '../../../access/handlers/handlers.ts';
import { describeService } from '../../../app/operations.ts';

/** An hour: it changes with a deployment only. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };

export const handler = staticHandler('platform', () => {
  const text = JSON.stringify(describeService());
  return async () => ({ headers: HEADERS, text });
});
