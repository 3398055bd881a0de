/** Lambda handlers of the routes that API Gateway buffers, by authentication. Each throws an error that names a variable that is not set. */

import type { Surface } from '../../platform/contract/route.ts';
import { requireTable } from '../../platform/contract/tables.ts';
import type { Endpoint, HttpRequest, StreamedResponse, TextResponse } from '../../platform/core/ports.ts';
import type { StageCheck } from '../../platform/core/stage-check.ts';
import {
  createDataResources,
  createResources,
  type DataResources,
  type Resources,
} from '../../platform/handlers/resources.ts';
import { stageCheck } from '../../platform/handlers/stage-check.ts';
import { buffered, streamed } from '../../platform/http/pipelines.ts';
import { createRequestHandler } from '../../platform/http/request-handler.ts';
import { withOperator } from '../core/sessions/operator-access.ts';
import { type SessionEndpoint, withSession } from '../core/sessions/session.ts';
import { readAccount } from '../store/accounts/account-item.ts';
import { createSecrets } from '../store/keys/create-secrets.ts';
import { createKeyGate } from '../store/keys/key-store.ts';
import { createSessions } from '../store/sessions/session-tokens.ts';

/** The database, and the check that the process may serve its stage. */
type StageResources = DataResources & { readonly stage: StageCheck };

/** The pepper that verifies keys, and the gate that counts their requests. */
type KeyResources = StageResources & ReturnType<typeof createSecrets> & ReturnType<typeof createKeyGate>;

type SessionResources = StageResources & ReturnType<typeof createSessions>;

export type KeyOrSessionResources = KeyResources & Pick<SessionResources, 'sessions'>;

/** Serves an endpoint that responds from its bundle, and therefore has no AWS client. */
export function staticHandler(
  surface: Surface | ((request: HttpRequest) => Surface),
  build: (resources: Resources) => Endpoint,
) {
  const resources = createResources();
  return buffered(createRequestHandler(build(resources), surface, resources));
}

/** Serves an unauthenticated endpoint that uses the database. */
export function publicHandler(surface: Surface, build: (resources: StageResources) => Endpoint) {
  const resources = { ...createDataResources(), stage: stageCheck() };
  return buffered(createRequestHandler(build(resources), surface, resources));
}

/** Serves an endpoint that accepts an API key. */
export const keyHandler = (surface: Surface, build: (resources: KeyResources) => Endpoint) =>
  publicHandler(surface, (resources) =>
    build({ ...resources, ...createSecrets(resources), ...createKeyGate(resources) }),
  );

/** Serves an endpoint that accepts an API key or a session. */
export const keyOrSessionHandler = (
  surface: Surface,
  build: (resources: KeyOrSessionResources) => Endpoint,
) =>
  keyHandler(surface, (resources) => build({ ...resources, sessions: createSessions(resources).sessions }));

/** Serves an endpoint that requires a live session of the account's owner. */
export const sessionHandler = (surface: Surface, build: (resources: SessionResources) => SessionEndpoint) =>
  publicHandler(surface, (resources) => {
    const sessions = createSessions(resources);
    return withSession(sessions.sessions, build({ ...resources, ...sessions }));
  });

/** Serves the same, if its response may be streamed. */
export function streamedSessionHandler(
  surface: Surface,
  build: (resources: SessionResources) => SessionEndpoint<TextResponse | StreamedResponse>,
) {
  const resources = { ...createDataResources(), stage: stageCheck() };
  const sessions = createSessions(resources);
  const endpoint = withSession(sessions.sessions, build({ ...resources, ...sessions }));
  return streamed(createRequestHandler(endpoint, surface, resources));
}

/** Serves an endpoint that requires an operator's session. */
export const operatorHandler = (surface: Surface, build: (resources: SessionResources) => SessionEndpoint) =>
  publicHandler(surface, (resources) => {
    const sessions = createSessions(resources);
    const table = requireTable(resources.environment, 'accounts');
    const findAccount = (accountId: string) => readAccount(resources.clients.client, table, accountId);
    return withOperator({ ...sessions, findAccount }, build({ ...resources, ...sessions }));
  });
