/** An upstream that a test plays on the socket itself, on a free port. */
import { once } from 'node:events';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

/** A whole answer after which the connection is kept. */
export const RESPONSE = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}';

export interface UpstreamRequest {
  readonly socket: Socket;
  /** Counted from 1. */
  readonly requestOfConnection: number;
}

/** The end of a request with a small JSON body, in one packet or in several. */
const END = /\r\n\r\n(\{.*\})$/s;

export class Upstream {
  connections = 0;
  readonly bodies: string[] = [];
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  readonly onRequest: (request: UpstreamRequest) => unknown;

  private constructor(onRequest: Upstream['onRequest']) {
    this.onRequest = onRequest;
    this.#server = createServer((socket) => this.#serve(socket));
  }

  static async start(onRequest: Upstream['onRequest']): Promise<Upstream> {
    const upstream = new Upstream(onRequest);
    upstream.#server.listen(0, '127.0.0.1');
    await once(upstream.#server, 'listening');
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  get url(): string {
    return `${this.origin}/v1/chat/completions`;
  }

  get requests(): number {
    return this.bodies.length;
  }

  async until(done: () => boolean): Promise<void> {
    for (let checkIndex = 0; !done(); checkIndex += 1) {
      if (checkIndex > 10_000) throw new Error('waited in vain');
      await sleep(5);
    }
  }

  async stop(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    this.#server.close();
    await once(this.#server, 'close');
  }

  #serve(socket: Socket): void {
    this.connections += 1;
    this.#sockets.add(socket);
    let text = '';
    let requestOfConnection = 0;
    socket.on('error', () => {});
    socket.on('close', () => this.#sockets.delete(socket));
    socket.on('data', (bytes) => {
      text += bytes.toString();
      const body = END.exec(text)?.[1];
      if (body === undefined) return;
      text = '';
      requestOfConnection += 1;
      this.bodies.push(body);
      void this.onRequest({ socket, requestOfConnection });
    });
  }
}
