/** Wires the answer to unknown paths and methods for Lambda. */
import { ROUTES } from '../../contract/routes.ts';
import { unknownRoute } from '../../core/api/unknown-route.ts';
import { matchPath, surfaceAt } from '../../edge/router.ts';
import { staticHandler } from '../../hosts/handlers.ts';

export const handler = staticHandler(
  (request) => surfaceAt(ROUTES, new URL(request.url).pathname),
  () => unknownRoute((path) => matchPath(ROUTES, path).map(({ route }) => route.method)),
);
