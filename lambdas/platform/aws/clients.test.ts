import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { GetItemCommand } from '@aws-sdk/client-dynamodb';
import { afterEach, describe, expect, it } from '@jest/globals';
import { createDynamoClients } from './clients.ts';

/** Clients with the service's own time limits. */
const clientsOf = (endpoint: string) =>
  createDynamoClients({
    endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  });

let server: Server | undefined;

async function serve(listener: RequestListener): Promise<string> {
  server = createServer(listener).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterEach(async () => {
  server?.closeAllConnections();
  server?.close();
  if (server !== undefined) await once(server, 'close');
  server = undefined;
});

const READ = new GetItemCommand({ TableName: 'keys', Key: { key_id: { S: 'key_1' } } });

describe('the database client', () => {
  it('signs its requests and sends nothing that describes the SDK', async () => {
    const requestHeaders: IncomingHttpHeaders[] = [];
    const { client, onceClient } = clientsOf(
      await serve((request, response) => {
        requestHeaders.push(request.headers);
        response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
      }),
    );
    for (const each of [client, onceClient]) {
      await each.send(READ);
      each.destroy();
    }
    expect(requestHeaders).toHaveLength(2);
    for (const headers of requestHeaders) {
      expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 /);
      expect(headers).not.toHaveProperty('user-agent');
      expect(headers).not.toHaveProperty('x-amz-user-agent');
    }
  });

  it('sends three attempts if the database fails', async () => {
    let requests = 0;
    const { client } = clientsOf(
      await serve((_request, response) => {
        requests += 1;
        response.writeHead(500, { 'content-type': 'application/x-amz-json-1.0' });
        response.end('{"__type":"InternalServerError"}');
      }),
    );
    await expect(client.send(READ)).rejects.toThrow();
    expect(requests).toBe(3);
    client.destroy();
  });

  it('retries within seconds if the database hangs, and uses the response', async () => {
    let requests = 0;
    const { client } = clientsOf(
      await serve((_request, response) => {
        requests += 1;
        if (requests > 1) response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0' }).end('{}');
      }),
    );
    const startMs = performance.now();
    expect((await client.send(READ)).Item).toBeUndefined();
    expect(performance.now() - startMs).toBeLessThan(4_500);
    expect(requests).toBe(2);
    client.destroy();
  });
});
