/** Wires the response to unknown paths and methods for Lambda. */

import { staticHandler } from '../../../access/handlers/handlers.ts';
import { ROUTES } from '../../../app/routes.ts';
import { unknownRoute } from '../../../platform/core/api/unknown-route.ts';
import { matchPath, surfaceAt } from '../../../platform/http/router.ts';

export const handler = staticHandler(
  (request) => surfaceAt(ROUTES, new URL(request.url).pathname),
  () => unknownRoute((path) => matchPath(ROUTES, path).map(({ route }) => route.method)),
);
