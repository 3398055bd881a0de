/** Lambda handlers of the routes that take the session of an account's owner. */
import { createSessions } from '../adapters/access/session-tokens.ts';
import type { Surface } from '../contract/route.ts';
import { type SessionEndpoint, withSession } from '../core/access/session.ts';
import { buffered } from '../edge/pipelines.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { createDataResources, type DataResources } from './resources.ts';

export type SessionResources = DataResources & ReturnType<typeof createSessions>;

/** Serves an endpoint that runs only with a live session. Throws an error that names a variable that is not set. */
export function sessionHandler(surface: Surface, build: (resources: SessionResources) => SessionEndpoint) {
  const resources = createDataResources();
  const { sessions, readSecret } = createSessions(resources);
  const endpoint = withSession(sessions, build({ ...resources, sessions, readSecret }));
  return buffered(createRequestHandler(endpoint, surface, resources));
}
