/** A real database behind a server that answers some requests as DynamoDB does in trouble, or not at all. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { createDynamoClients, type DynamoClients } from '../../lambdas/adapters/aws/clients.ts';

export interface DatabaseRequest {
  /** As DynamoDB names it, for example `UpdateItem`. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly TableName?: string;
    readonly UpdateExpression?: string;
    readonly Key?: Readonly<Record<string, unknown>>;
  };
}

/** An error as DynamoDB sends it; what is beside the type are its further members. */
export interface DatabaseError {
  readonly status: number;
  readonly type: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

/** `lost`: the request is carried out, and its answer is not sent. */
export type Trouble = DatabaseError | 'hang' | 'reset' | 'lost';

/** What is to become of a request; undefined passes it on. */
export type TroublePlan = (request: DatabaseRequest) => Trouble | undefined | Promise<Trouble | undefined>;

export interface TroubledDatabase extends DynamoClients {
  stop(): Promise<void>;
}

/** Short enough for a test of requests that get no answer, and long enough for one that does. */
const REQUEST_MS = 400;

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/** Stands before the database at `endpoint`, with the service's own clients, whose requests are given up sooner. */
export async function startTroubledDatabase(endpoint: string, plan: TroublePlan): Promise<TroubledDatabase> {
  const server = createServer((request, response) => {
    pass(request, response).catch(() => response.destroy());
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const clients = createDynamoClients(
    {
      endpoint: `http://127.0.0.1:${port}`,
      region: 'us-east-1',
      credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    },
    REQUEST_MS,
  );

  async function pass(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const sent = await buffer(request);
    const operation = String(request.headers['x-amz-target']).split('.').at(-1) ?? '';
    const trouble = await plan({ operation, body: JSON.parse(sent.toString()) });
    if (trouble === 'hang') return;
    if (trouble === 'reset') {
      request.socket.destroy();
      return;
    }
    if (typeof trouble === 'object') {
      const { status, type, members } = trouble;
      const body = { __type: `com.amazonaws.dynamodb.v20120810#${type}`, message: type, ...members };
      response.writeHead(status, JSON_TYPE).end(JSON.stringify(body));
      return;
    }
    const { host: _host, connection: _connection, ...headers } = request.headers as Record<string, string>;
    const answer = await fetch(endpoint, { method: 'POST', headers, body: new Uint8Array(sent) });
    const body = await answer.text();
    if (trouble === undefined) response.writeHead(answer.status, JSON_TYPE).end(body);
  }

  return {
    ...clients,
    async stop() {
      clients.client.destroy();
      clients.onceClient.destroy();
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
