/** Lambda handlers of the routes that take an API key or the session of an account's owner. */
import { createSessions } from '../adapters/access/session-tokens.ts';
import type { Surface } from '../contract/route.ts';
import type { Endpoint } from '../core/ports.ts';
import { type KeyResources, keyHandler } from './key-handler.ts';

/** What proves a key genuine and counts its requests, and what proves a session live. */
export type KeyOrSessionResources = KeyResources & Pick<ReturnType<typeof createSessions>, 'sessions'>;

/** The endpoint decides which of the two a request comes with. Throws an error that names a variable that is not set. */
export function keyOrSessionHandler(surface: Surface, build: (resources: KeyOrSessionResources) => Endpoint) {
  return keyHandler(surface, (resources) =>
    build({ ...resources, sessions: createSessions(resources).sessions }),
  );
}
