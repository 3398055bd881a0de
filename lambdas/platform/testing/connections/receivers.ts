/** Receivers that answer as a test asks, on loopback ports of their own. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, createServer as createTcpServer, type Server, type Socket } from 'node:net';
import { text } from 'node:stream/consumers';
import { selfSigned } from './certificate.ts';

export interface Receiver {
  readonly port: number;
  readonly url: string;
  /** Connections that were made to it, whatever came of them. */
  connections(): number;
  close(): Promise<void>;
}

async function listen(server: Server, scheme: string, host = '127.0.0.1'): Promise<Receiver> {
  const sockets = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const name = host.includes(':') ? `[${host}]` : host;
  return {
    port,
    url: `${scheme}://${name}:${port}/hook`,
    connections: () => connections,
    async close() {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

export const httpReceiver = (listener: RequestListener): Promise<Receiver> =>
  listen(createServer(listener), 'http');

/** Speaks whatever bytes it likes. */
export const tcpReceiver = (accept: (socket: Socket) => void, host?: string): Promise<Receiver> =>
  listen(createTcpServer(accept), 'http', host);

/** Speaks TLS with a certificate that nobody trusts. */
export const selfSignedReceiver = (): Promise<Receiver> =>
  listen(
    createSecureServer(selfSigned('localhost'), (_, response) => response.end()),
    'https',
  );

export interface ReceivedDelivery {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The whole of a request; header names as they were sent. */
export async function readReceived(request: IncomingMessage): Promise<ReceivedDelivery> {
  const { rawHeaders: raw } = request;
  const headers = raw.flatMap((name, index) => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []));
  return { headers: Object.fromEntries(headers) as Record<string, string>, body: await text(request) };
}
