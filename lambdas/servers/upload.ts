/**
 * The upload ingress: the transcription endpoint on `node:http`, as a program. It accepts files up to the API's limit,
 * and serves nothing else.
 */

import { ROUTES } from '../app/routes.ts';
import { sharedHost } from '../inference/handlers/host-state.ts';
import { createTranscriptionHandler, fileTooLarge } from '../inference/handlers/transcription.ts';
import { STREAM_TIMEOUT_SECONDS } from '../platform/contract/environment.ts';
import { TRANSCRIPTION_FILE_BYTES } from '../platform/contract/limits.ts';
import { unknownRoute } from '../platform/core/api/unknown-route.ts';
import { createResources } from '../platform/handlers/resources.ts';
import { NodeHost } from '../platform/http/node-host.ts';
import { createRequestHandler } from '../platform/http/request-handler.ts';
import { systemClock } from '../platform/system/system.ts';
import { UPLOADS } from './bodies.ts';
import { withHealth } from './health.ts';
import { serve } from './serve.ts';

/** The number of largest files that fit on the disk of the smallest server. */
const MAX_CALLS = 400;

const PATHS = ROUTES.filter(({ endpoint }) => endpoint === 'create-transcription');

const transcription = createTranscriptionHandler({
  maxFileBytes: TRANSCRIPTION_FILE_BYTES,
  tooLarge: () => fileTooLarge(TRANSCRIPTION_FILE_BYTES),
});

const resources = createResources();

const elsewhere = createRequestHandler(
  unknownRoute((path) => PATHS.filter((route) => route.path === path).map(({ method }) => method)),
  'openai',
  resources,
);

const host: NodeHost = new NodeHost({
  resolve: withHealth(
    () => host,
    resources.log,
    (method, path) => ({
      handler: PATHS.some((route) => route.method === method && route.path === path)
        ? transcription
        : elsewhere,
      pathParameters: {},
      body: UPLOADS,
    }),
  ),
  clock: systemClock,
  callMs: STREAM_TIMEOUT_SECONDS * 1000,
  maxCalls: MAX_CALLS,
});

serve(host, resources.log, { endCalls: () => sharedHost.endOfCalls.abort() });
