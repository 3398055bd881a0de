/** The one loopback address that stands for AWS: every SDK call of a function arrives here. */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Authorize } from './callers.ts';
import { AwsError, errorBody, unknownCall } from './errors.ts';

export interface AwsCall {
  /** Such as `GetItem`. */
  readonly operation: string;
  /** The whole `X-Amz-Target`; empty for a service that names its operations by path. */
  readonly target: string;
  readonly method: string;
  /** Such as `/schedules/name`; `/` in the JSON protocols. */
  readonly path: string;
  readonly body: Buffer;
  readonly headers: IncomingHttpHeaders;
  readonly authorize: Authorize;
}

/** Answers a call, or resolves with the JSON to answer. Throws an `AwsError` before it has begun to answer. */
export type AwsServiceHandler = (call: AwsCall, response: ServerResponse) => Promise<object | undefined>;

export interface AwsEndpointOptions {
  /**
   * Services by the part of `X-Amz-Target` before the dot (each service's API reference names it); one that has no such header
   * by the service that its calls are signed for.
   */
  readonly services: Readonly<Record<string, AwsServiceHandler>>;
  readonly authorizeAs: (accessKeyId: string | undefined) => Authorize;
  readonly log: (line: string) => void;
}

export interface AwsEndpoint {
  readonly url: string;
  close(): Promise<void>;
}

/** Listens on a free loopback port. */
export async function startAwsEndpoint(options: AwsEndpointOptions): Promise<AwsEndpoint> {
  // Connections stay open as long as the callers like, so a pooled one never breaks under a call.
  const server = createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (request, response) => {
    respond(request, response, options).catch((failure: Error) => fail(response, failure, options.log));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function respond(
  request: IncomingMessage,
  response: ServerResponse,
  options: AwsEndpointOptions,
): Promise<void> {
  const body = await buffer(request);
  const target = String(request.headers['x-amz-target'] ?? '');
  const dot = target.indexOf('.');
  const { keyId, signedFor } = credential(request);
  const service = options.services[target === '' ? signedFor : target.slice(0, dot)];
  if (service === undefined) {
    const name = target === '' ? `${request.method} ${request.url}` : target;
    options.log(`AWS call that the local runtime does not know: ${name}`);
    throw unknownCall(`AWS call ${name}`);
  }
  const authorize = options.authorizeAs(keyId);
  const { method = 'POST', url: path = '/', headers } = request;
  const operation = target.slice(dot + 1);
  const answer = await service({ operation, target, method, path, body, headers, authorize }, response);
  if (answer !== undefined) sendJson(response, 200, JSON.stringify(answer));
}

/** Signature version 4: `Credential=<access key id>/<date>/<region>/<service>/aws4_request`. */
function credential({ headers: { authorization }, url = '' }: IncomingMessage): {
  readonly keyId: string | undefined;
  readonly signedFor: string;
} {
  // A presigned request has it in its query.
  const text = authorization ?? decodeURIComponent(/[?&]X-Amz-(Credential=[^&]+)/.exec(url)?.[1] ?? '');
  const [, keyId, signedFor = ''] = /Credential=([^/]+)\/(?:[^/]+\/[^/]+\/([^/]+)\/)?/.exec(text) ?? [];
  return { keyId, signedFor };
}

function fail(response: ServerResponse, failure: Error, log: (line: string) => void): void {
  if (response.headersSent || response.destroyed) {
    response.destroy();
    return;
  }
  const error =
    failure instanceof AwsError ? failure : new AwsError('InternalServerError', failure.message, 500);
  if (error.status >= 500) log(`AWS call failed: ${failure.message}`);
  sendJson(response, error.status, errorBody(error));
}

function sendJson(response: ServerResponse, status: number, body: string): void {
  response.writeHead(status, {
    'content-type': 'application/x-amz-json-1.1',
    'content-length': Buffer.byteLength(body),
  });
  response.end(body);
}
