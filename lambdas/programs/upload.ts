/**
 * The upload ingress: the transcription endpoint on `node:http`, as a program. It takes files of the interface's own
 * limit, and serves nothing else.
 */
import { systemClock } from '../adapters/system/system.ts';
import { STREAM_TIMEOUT_SECONDS } from '../contract/environment.ts';
import { TRANSCRIPTION_FILE_BYTES } from '../contract/limits.ts';
import { ROUTES } from '../contract/routes.ts';
import { unknownRoute } from '../core/api/unknown-route.ts';
import { NodeHost } from '../edge/node-host.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { endOfCalls } from '../hosts/paid-handler.ts';
import { createResources } from '../hosts/resources.ts';
import { createTranscriptionHandler, fileTooLarge } from '../hosts/transcription.ts';
import { UPLOADS } from './bodies.ts';
import { withHealth } from './health.ts';
import { serve } from './serve.ts';

/** As many as the disk of the smallest host has place for, each with its largest file. */
const MOST_CALLS = 400;

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
  mostCalls: MOST_CALLS,
});

serve(host, resources.log, () => endOfCalls.abort());
