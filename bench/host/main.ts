/**
 * Serves the bundles of the conversational functions over HTTP in one process: `<folder>`. Each request becomes the
 * event that API Gateway makes of it, the bundle's own handler answers it, and what that writes goes out as it comes.
 */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Context } from 'aws-lambda';
import { createProxyEvent } from '../../local/gateway/proxy-event.ts';
import { createRequestContext } from '../../local/gateway/request-context.ts';
import type { Match } from '../../local/gateway/router.ts';
import type { HostedFunction } from './bundle.ts';

type Handle = (event: unknown, stream: ServerResponse, context: Context) => Promise<void>;

interface Metadata {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, string>>;
}

const [folder = ''] = process.argv.slice(2);

/** The longest a function may run; no bench comes near it. */
const CALL_MS = 900_000;

/** Lambda's streaming interface, with the HTTP response itself as the stream. */
Object.assign(globalThis, {
  awslambda: {
    streamifyResponse: (handler: unknown) => handler,
    HttpResponseStream: {
      from: (response: ServerResponse, { statusCode, headers }: Metadata) =>
        response.writeHead(statusCode, headers),
    },
  },
});

const handlers = new Map<HostedFunction, Promise<Handle>>();

/** Imported at its first call, as Lambda does, so that a start has one function to load. */
function handlerOf(name: HostedFunction): Promise<Handle> {
  const file = pathToFileURL(join(folder, name, 'index.mjs')).href;
  const loaded = handlers.get(name) ?? import(file).then(({ handler }) => handler as Handle);
  handlers.set(name, loaded);
  return loaded;
}

const matchOf = (resourcePath: string): Match => ({
  api: { id: 'bench', stage: 'bench', binaryMediaTypes: [], routes: [], gatewayResponses: [], rateRules: [] },
  route: {
    ...{ method: 'POST', resourcePath, resourceId: 'bench', functionArn: 'bench' },
    ...{ transfer: 'stream', timeoutMs: CALL_MS },
  },
  pathParameters: {},
});

const MATCHES: Readonly<Record<HostedFunction, Match>> = {
  'create-chat-completion': matchOf('/v1/chat/completions'),
  'create-message': matchOf('/v1/messages'),
};

async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const pieces: Buffer[] = [];
  for await (const piece of request) pieces.push(piece);
  const context = createRequestContext(request);
  const name = context.path === '/v1/messages' ? 'create-message' : 'create-chat-completion';
  const event = createProxyEvent({ match: MATCHES[name], request, context, body: Buffer.concat(pieces) });
  const deadlineMs = Date.now() + CALL_MS;
  const handle = await handlerOf(name);
  await handle(event, response, {
    awsRequestId: context.requestId,
    getRemainingTimeInMillis: () => deadlineMs - Date.now(),
  } as Context);
  response.end();
}

const server = createServer((request, response) => {
  serve(request, response).catch((failure: unknown) => {
    console.error(failure);
    response.destroy();
  });
}).listen(0, '127.0.0.1');
await once(server, 'listening');
process.send?.((server.address() as AddressInfo).port);
process.once('disconnect', () => process.exit(0));
// Ends by itself where it must leave a profile.
process.once('SIGTERM', () => process.exit(0));
