/** `GET /openapi.json`: the description of the service, for tools. */
import type { Endpoint } from '../../core/ports.ts';
import { staticHandler } from '../../hosts/handlers.ts';
import { describeService } from '../../openapi/operations.ts';

/** An hour: it changes with a deployment only. */
const HEADERS = { 'content-type': 'application/json', 'cache-control': 'public, max-age=3600' };

function getOpenApi(document: unknown): Endpoint {
  const text = JSON.stringify(document);
  return async () => new Response(text, { headers: HEADERS });
}

export const handler = staticHandler('platform', () => getOpenApi(describeService()));
