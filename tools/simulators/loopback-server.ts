/** The server that the simulators share: on loopback, at the requested port if it is free. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly url: string;
  /** Ends open connections too. */
  stop(): Promise<void>;
}

/** Takes any free port when the preferred one is not to be had; 0 wants none in particular. */
export async function startLoopbackServer(
  listener: RequestListener,
  preferredPort: number,
): Promise<LoopbackServer> {
  const server = createServer(listener);
  const listen = (port: number) => once(server.listen(port, '127.0.0.1'), 'listening');
  try {
    await listen(preferredPort);
  } catch (failure) {
    if ((failure as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw failure;
    await listen(0);
  }
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/** The body as text; throws what `tooLarge` makes when it has more bytes. */
export async function readBody(
  request: IncomingMessage,
  maxBytes: number,
  tooLarge: () => Error,
): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of request) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}
