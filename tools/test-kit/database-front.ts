/** An HTTP server that stands in front of a DynamoDB and decides about each request: it passes, or gets another answer. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { Pool } from 'undici';
import { startLoopbackServer } from '../simulators/loopback-server.ts';

export interface DatabaseRequest {
  /** DynamoDB's name of the operation, for example `UpdateItem`. */
  readonly operation: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** An error as DynamoDB sends it; what is beside the type are its further members. */
export interface DatabaseError {
  readonly status: number;
  readonly type: string;
  readonly members?: Readonly<Record<string, unknown>>;
}

interface DatabaseResponse {
  readonly status: number;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Sends a request's body on to the database; the same one when it is not given. */
export type Forward = (body?: DatabaseRequest['body']) => Promise<DatabaseResponse>;

/** The result for the sender: a response, no response until its timeout, or a closed connection. */
export type FrontDecision = DatabaseResponse | DatabaseError | 'hang' | 'reset';

export interface Front {
  readonly endpoint: string;
  stop(): Promise<void>;
}

const JSON_TYPE = { 'content-type': 'application/x-amz-json-1.0' };

/** Starts the server on a free loopback port, in front of the DynamoDB at `endpoint`. */
export async function startFront(
  endpoint: string,
  decide: (request: DatabaseRequest, forward: Forward) => Promise<FrontDecision>,
): Promise<Front> {
  const database = new Pool(endpoint);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const requestBody = JSON.parse((await buffer(request)).toString()) as DatabaseRequest['body'];
    const { host: _host, connection: _connection, 'content-length': _length, ...rest } = request.headers;
    const headers = rest as Record<string, string>;
    const forward: Forward = async (body = requestBody) => {
      const options = { path: '/', method: 'POST', headers, body: JSON.stringify(body) } as const;
      const { statusCode: status, body: responseBody } = await database.request(options);
      return { status, body: (await responseBody.json()) as DatabaseResponse['body'] };
    };
    const operation = String(headers['x-amz-target']).split('.').at(-1) ?? '';
    const decided = await decide({ operation, body: requestBody }, forward);
    if (decided === 'hang') return;
    if (decided === 'reset') {
      request.socket.destroy();
      return;
    }
    const body = 'type' in decided ? errorBody(decided) : decided.body;
    response.writeHead(decided.status, JSON_TYPE).end(JSON.stringify(body));
  }

  const server = await startLoopbackServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  }, 0);
  return {
    endpoint: server.url,
    async stop() {
      await server.stop();
      await database.destroy();
    },
  };
}

const errorBody = ({ type, members }: DatabaseError) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${type}`,
  message: type,
  ...members,
});
