/** A receiver that notes what it was sent and when, and one that takes connections and never answers. */
import { once } from 'node:events';
import { createServer as createHttpServer } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';

export interface BenchReceiver {
  readonly url: string;
  /** Times of arrival (`performance.now()`) by path and event id, of every delivery in order. */
  readonly arrivals: ReadonlyMap<string, readonly number[]>;
  close(): void;
}

async function portOf(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

export async function startReceiver(): Promise<BenchReceiver> {
  const arrivals = new Map<string, number[]>();
  const server = createHttpServer((request, response) => {
    const name = `${request.url} ${request.headers['webhook-id']}`;
    arrivals.set(name, [...(arrivals.get(name) ?? []), performance.now()]);
    request.resume();
    response.end();
  });
  const url = `http://127.0.0.1:${await portOf(server)}`;
  return {
    url,
    arrivals,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

export async function startBlackHole(): Promise<{ readonly url: string; close(): void }> {
  const sockets = new Set<{ destroy(): void }>();
  const server = createTcpServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  const url = `http://127.0.0.1:${await portOf(server)}`;
  return {
    url,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
