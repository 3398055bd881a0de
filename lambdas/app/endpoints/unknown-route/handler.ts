/** Wires the response to unknown paths and methods for Lambda. */

import { staticHandler } from '../../../access/handlers/handlers.ts';
import { ROUTES } from '../../../app/routes.ts';
import { indexJson } from '../../../app/service-index.ts';
import { unknownRoute } from '../../../platform/core/api/unknown-route.ts';
import { matchPath, surfaceAt } from '../../../platform/http/router.ts';

const unknown = unknownRoute((path) => matchPath(ROUTES, path).map(({ route }) => route.method));

/** An API without the route of the index has the index, too, but not the pages that it links to. */
export const handler = staticHandler(
  (request) => surfaceAt(ROUTES, new URL(request.url).pathname),
  () => async (request, context) =>
    request.method === 'GET' && new URL(request.url).pathname === '/'
      ? indexJson()
      : unknown(request, context),
);
