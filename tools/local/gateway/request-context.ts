/** The context of a request before its route is known: its id, its caller and its address. */
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

export interface GatewayRequestContext {
  /** API Gateway's own id of the request. */
  readonly requestId: string;
  readonly sourceIp: string;
  readonly startedMs: number;
  readonly method: string;
  /** The path as received: percent-encoded, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
}

export function createRequestContext(request: IncomingMessage): GatewayRequestContext {
  const target = request.url ?? '/';
  const question = target.indexOf('?');
  const path = question < 0 ? target : target.slice(0, question);
  return {
    requestId: randomUUID(),
    sourceIp: request.socket.remoteAddress?.replace(/^::ffff:/, '') ?? '127.0.0.1',
    startedMs: Date.now(),
    method: request.method ?? 'GET',
    path,
    query: new URLSearchParams(question < 0 ? '' : target.slice(question + 1)),
  };
}

/** Returns whether every percent sign of a path starts a valid UTF-8 escape; API Gateway rejects other paths. */
export function isWellEncoded(path: string): boolean {
  try {
    decodeURIComponent(path);
    return true;
  } catch {
    return false;
  }
}
