/** Wires the answer to unknown paths and methods for Lambda. */
import { createLog } from '../../adapters/system/logger.ts';
import { systemClock, systemUlid } from '../../adapters/system/system.ts';
import { ROUTES } from '../../contract/routes.ts';
import { front } from '../../edge/front.ts';
import { buffered } from '../../edge/pipelines.ts';
import { matchPath, surfaceAt } from '../../edge/router.ts';
import { unknownRoute } from './endpoint.ts';

const endpoint = unknownRoute((path) => matchPath(ROUTES, path).map(({ route }) => route.method));

const surface = (request: Request) => surfaceAt(ROUTES, new URL(request.url).pathname);

export const handler = buffered(
  front(endpoint, surface, { clock: systemClock, ulid: systemUlid, log: createLog() }),
);
