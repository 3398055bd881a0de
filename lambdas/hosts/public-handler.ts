/** Lambda handlers of the routes without authentication. */
import type { Surface } from '../contract/route.ts';
import type { Endpoint } from '../core/ports.ts';
import { buffered } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { createDataResources, createResources, type DataResources, type Resources } from './resources.ts';

/** Serves an endpoint that reads the database. Throws an error that names a variable that is not set. */
export function publicHandler(surface: Surface, build: (resources: DataResources) => Endpoint) {
  const resources = createDataResources();
  return buffered(createRequestHandler(build(resources), surface, resources));
}

/** Serves an endpoint that answers from its own bundle, which so holds no AWS client. */
export function staticHandler(
  surface: Surface | ((request: Request) => Surface),
  build: (resources: Resources) => Endpoint,
) {
  const resources = createResources();
  return buffered(createRequestHandler(build(resources), surface, resources));
}
