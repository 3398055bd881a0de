/** Answers what is not HTTP, or too much of it, in the API's own envelope before the connection closes. */

import { randomUUID } from 'node:crypto';
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { RestApi } from '../assembly/api/rest-apis.ts';
import { renderFault } from './gateway-answer.ts';
import { faults, type GatewayFault } from './gateway-fault.ts';

/** Adds the answers to a server; `api` lends its templates. */
export function rejectMalformedRequests(server: Server, api: RestApi): void {
  const responses = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request, response) => responses.set(request.socket, response));
  server.on('clientError', (error: NodeJS.ErrnoException, stream) => {
    const socket = stream as Socket;
    const response = responses.get(socket);
    const midway = response?.headersSent === true && !response.writableFinished;
    if (!socket.writable || midway || error.code === 'ECONNRESET') {
      socket.destroy();
      return;
    }
    const httpResponse = renderFault(api, faultOf(error), {
      requestId: randomUUID(),
      sourceIp: socket.remoteAddress ?? '127.0.0.1',
      startedMs: Date.now(),
      method: '',
      path: '',
      query: new URLSearchParams(),
    });
    const headers = {
      ...httpResponse.headers,
      connection: 'close',
      'content-length': Buffer.byteLength(httpResponse.body),
    };
    const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    socket.end(
      `HTTP/1.1 ${httpResponse.status} ${STATUS_CODES[httpResponse.status]}\r\n${lines.join('')}\r\n${httpResponse.body}`,
    );
  });
}

/** Codes of Node's HTTP parser. */
function faultOf({ code }: NodeJS.ErrnoException): GatewayFault {
  if (code === 'HPE_HEADER_OVERFLOW') return faults.headersTooLarge();
  if (code === 'ERR_HTTP_REQUEST_TIMEOUT') return faults.bodyStalled();
  return faults.badRequest();
}
