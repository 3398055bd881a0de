/** An upstream that a test plays on the socket itself, on a free port. */
import type { Socket } from 'node:net';
import { until } from '../../../../tools/test-kit/waiting.ts';
import { type Receiver, tcpReceiver } from './receivers.ts';

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
  readonly bodies: string[] = [];
  #receiver: Receiver | undefined;
  readonly onRequest: (request: UpstreamRequest) => unknown;

  private constructor(onRequest: Upstream['onRequest']) {
    this.onRequest = onRequest;
  }

  static async start(onRequest: Upstream['onRequest']): Promise<Upstream> {
    const upstream = new Upstream(onRequest);
    upstream.#receiver = await tcpReceiver((socket) => upstream.#serve(socket));
    return upstream;
  }

  get origin(): string {
    return `http://127.0.0.1:${this.#receiver?.port}`;
  }

  get url(): string {
    return `${this.origin}/v1/chat/completions`;
  }

  get connections(): number {
    return this.#receiver?.connections() ?? 0;
  }

  get requests(): number {
    return this.bodies.length;
  }

  async until(done: () => boolean): Promise<void> {
    await until(done, Boolean);
  }

  async stop(): Promise<void> {
    await this.#receiver?.close();
  }

  #serve(socket: Socket): void {
    let text = '';
    let requestOfConnection = 0;
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
