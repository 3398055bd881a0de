/**
 * The upload ingress: the transcription endpoint on `node:http`, as a program. It takes files of the interface's own
 * limit, and serves nothing else. Listens where Lambda Web Functions say (`AWS_LAMBDA_HTTP_ENDPOINT`), else on `PORT`.
 */
import type { AddressInfo } from 'node:net';
import { systemClock } from '../adapters/system/system.ts';
import { STREAM_TIMEOUT_SECONDS } from '../contract/environment.ts';
import { TRANSCRIPTION_FILE_BYTES } from '../contract/limits.ts';
import { ROUTES } from '../contract/routes.ts';
import { unknownRoute } from '../core/api/unknown-route.ts';
import { createNodeHost } from '../edge/node-host.ts';
import { createRequestHandler } from '../edge/request-handler.ts';
import { createResources } from './resources.ts';
import { createTranscriptionHandler, fileTooLarge } from './transcription.ts';

/** The form around the file: its boundaries and fields. */
const FORM_BYTES = 1024 * 1024;

/** As long as the local gateway and CloudFront wait for a silent client, and a little more. */
const BODY_IDLE_MS = 20_000;

/** The largest file at 1.75 Mbit/s; the most of its time that a call may spend before it reaches a route. */
const BODY_MS = 120_000;

/** A tenth of what the slowest mobile networks send: less is no upload, but a connection held open. */
const LEAST_RATE = { bytesPerSecond: 8 * 1024, afterMs: 10_000 };

const PATHS = ROUTES.filter(({ endpoint }) => endpoint === 'create-transcription');

const transcription = createTranscriptionHandler({
  environment: process.env,
  maxFileBytes: TRANSCRIPTION_FILE_BYTES,
  tooLarge: () => fileTooLarge(TRANSCRIPTION_FILE_BYTES),
});

const elsewhere = createRequestHandler(
  unknownRoute((path) => PATHS.filter((route) => route.path === path).map(({ method }) => method)),
  'openai',
  createResources(),
);

const server = createNodeHost({
  resolve: (method, path) => ({
    handler: PATHS.some((route) => route.method === method && route.path === path)
      ? transcription
      : elsewhere,
    pathParameters: {},
  }),
  clock: systemClock,
  body: {
    maxBytes: TRANSCRIPTION_FILE_BYTES + FORM_BYTES,
    idleMs: BODY_IDLE_MS,
    totalMs: BODY_MS,
    leastRate: LEAST_RATE,
  },
  callMs: STREAM_TIMEOUT_SECONDS * 1000,
});

const { AWS_LAMBDA_HTTP_ENDPOINT: endpoint, PORT = '8080', HOST } = process.env;
// A forked host reports to its parent where it listens, and ends with it.
const ready = () => process.send?.({ port: (server.address() as AddressInfo).port });
if (endpoint === undefined) server.listen(Number(PORT), HOST, ready);
else server.listen(endpoint, ready);
process.once('disconnect', () => process.exit(0));
/** Calls in flight end first. */
process.once('SIGTERM', () => server.close(() => process.exit(0)));
