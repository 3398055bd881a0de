/** An HTTP server on a free port that answers as a test says, and remembers requests and connections. */
import { createServer, type IncomingHttpHeaders, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';

export interface WireRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export type WireResponder = (
  response: ServerResponse,
  request: WireRequest,
  socket: Socket,
) => void | Promise<void>;

export class WireServer {
  readonly requests: WireRequest[] = [];
  /** Connections that clients have made. */
  connections = 0;
  /** Connections that are open. */
  open = 0;
  respond: WireResponder = (response) => void response.end();
  readonly #server: Server;

  constructor() {
    this.#server = createServer(async (incoming, response) => {
      let body = '';
      for await (const chunk of incoming.setEncoding('utf8')) body += chunk;
      const { method = '', url: path = '', headers, socket } = incoming;
      const request = { method, path, headers, body };
      this.requests.push(request);
      await this.respond(response, request, socket);
    });
    this.#server.on('connection', (socket) => {
      this.connections += 1;
      this.open += 1;
      socket.on('close', () => {
        this.open -= 1;
      });
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  forget(): void {
    this.requests.length = 0;
    this.connections = 0;
  }

  /** Drops every connection, so that the next test counts from none. */
  disconnect(): void {
    this.#server.closeAllConnections();
  }

  async stop(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    this.disconnect();
    await closed;
  }
}

/** A server that runs while the tests of this file do. */
export function wireServer(): WireServer {
  const server = new WireServer();
  beforeAll(() => server.start());
  beforeEach(async () => {
    server.disconnect();
    while (server.open > 0) await new Promise((resolve) => setImmediate(resolve));
    server.forget();
  });
  afterAll(() => server.stop());
  return server;
}
