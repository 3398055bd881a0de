/** The server that the simulators share: on loopback, at the requested port if it is free. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface LoopbackServer {
  readonly url: string;
  stop(): Promise<void>;
}

/** Longer than clients keep idle connections, so that no request meets one that is just closing. */
const KEEP_ALIVE_TIMEOUT_MS = 120_000;

/** Takes any free port when the preferred one is not to be had; 0 wants none in particular. */
export async function startLoopbackServer(
  listener: RequestListener,
  preferredPort: number,
): Promise<LoopbackServer> {
  const server = createServer({ keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS }, listener);
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

/** The whole body, or undefined when it has more bytes. Rejects when the client disconnects before its end. */
export async function readBytes(
  request: IncomingMessage,
  maxBytes: number,
): Promise<Buffer<ArrayBuffer> | undefined> {
  const chunks: Buffer[] = [];
  let byteLength = 0;
  for await (const chunk of request) {
    byteLength += chunk.length;
    // Read on, keeping nothing: leaving the loop would close the connection before the refusal is sent.
    if (byteLength > maxBytes) chunks.length = 0;
    else chunks.push(chunk);
  }
  return byteLength > maxBytes ? undefined : Buffer.concat(chunks);
}
