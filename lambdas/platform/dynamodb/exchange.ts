/** One HTTP exchange with a service of AWS on a persistent connection. */
import {
  Agent,
  type ClientRequestArgs,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request,
} from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** Two parallel writes a call, and as many calls at once as one process may hold. */
const MAX_SOCKETS = 256;

const CONNECT_MS = 1_000;

/**
 * The error codes that the SDK classifies as a timeout, so that callers need not distinguish the sender of the request.
 */
const TIMEOUTS = ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT'];

/** A response in the form that the SDK's deserializer reads. */
export interface DynamoResponse {
  readonly statusCode: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** Pools of connections, as the SDK's request handler takes them. */
export interface Agents {
  readonly httpAgent: Agent;
  readonly httpsAgent: SecureAgent;
}

/** A connection that is not there after a second is given up with a `TimeoutError`. */
export function createAgents(): Agents {
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS };
  return {
    httpAgent: limitConnecting(new Agent(options), 'connect'),
    httpsAgent: limitConnecting(new SecureAgent(options), 'secureConnect'),
  };
}

function limitConnecting<T extends Agent>(agent: T, connected: 'connect' | 'secureConnect'): T {
  const connect = agent.createConnection.bind(agent);
  agent.createConnection = (...options) => {
    const socket = connect(...options);
    const end = startTimeout(CONNECT_MS, () =>
      socket?.destroy(timeout(`no connection within ${CONNECT_MS} ms`)),
    );
    for (const event of [connected, 'close']) socket?.once(event, end);
    return socket;
  };
  return agent;
}

/**
 * Runs `expire` after the time, but not before the events that are there by then: a process that was stopped or had no CPU
 * reads what has arrived before it gives up. Returns a function that ends it.
 */
function startTimeout(ms: number, expire: () => void): () => void {
  let events: NodeJS.Immediate | undefined;
  const timer = setTimeout(() => {
    events = setImmediate(expire);
  }, ms);
  return () => {
    clearTimeout(timer);
    clearImmediate(events);
  };
}

export interface ExchangeOptions {
  readonly url: URL;
  readonly agents: Agents;
  /** The time from the request to the end of its response, including the wait for a connection. */
  readonly timeoutMs: number;
}

/** Sends a body with those headers (names and values in turn). Throws a `TimeoutError` when the connection breaks or time is up. */
export type DynamoExchange = (headers: readonly string[], body: string) => Promise<DynamoResponse>;

export function createExchange({ url, agents, timeoutMs }: ExchangeOptions): DynamoExchange {
  const secure = url.protocol === 'https:';
  const send = secure ? secureRequest : request;
  const { hostname, port, pathname: path } = url;
  const target: ClientRequestArgs = {
    // An IPv6 address has brackets in a URL only.
    hostname: hostname.replace(/^\[|\]$/g, ''),
    ...(port === '' ? {} : { port }),
    path,
    method: 'POST',
    setHost: false,
    agent: secure ? agents.httpsAgent : agents.httpAgent,
  };
  return (headers, body) =>
    new Promise((resolve, reject) => {
      const fail = (failure: Error & { readonly code?: string }) => {
        end();
        if (TIMEOUTS.includes(failure.code ?? '')) failure.name = 'TimeoutError';
        reject(failure);
      };
      const call = send({ ...target, headers }, (message) => {
        collect(message, fail, (response) => {
          end();
          resolve(response);
        });
      });
      const end = startTimeout(timeoutMs, () => {
        fail(timeout(`no answer within ${timeoutMs} ms`));
        call.destroy();
      });
      call.on('error', fail);
      // A text goes out in one packet with its headers.
      call.end(body);
    });
}

function collect(
  message: IncomingMessage,
  fail: (failure: Error) => void,
  done: (response: DynamoResponse) => void,
): void {
  const { statusCode = 0, headers } = message;
  const buffers: Buffer[] = [];
  message.on('data', (buffer: Buffer) => buffers.push(buffer));
  message.on('error', fail);
  message.on('end', () => {
    const [first = Buffer.alloc(0)] = buffers;
    done({ statusCode, headers, body: buffers.length < 2 ? first : Buffer.concat(buffers) });
  });
}

const timeout = (message: string) =>
  Object.assign(new Error(`AWS: ${message}`), { name: 'TimeoutError', code: 'ETIMEDOUT' });
