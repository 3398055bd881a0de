/** Clients of Amazon Bedrock by address, made at first use and kept warm. */
import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { NodeHttpHandler } from '@smithy/node-http-handler';
import { awsAddressOf } from '../../core/inference/catalog/aws-address.ts';

/** An address that does not take a connection by then is better left for another route. */
const CONNECT_MS = 3_000;

/** As many calls at once as one process may hold. */
const MAX_SOCKETS = 256;

export interface BedrockClients {
  /** The client for a route's address; an empty one is that of the function's own region. */
  readonly client: (baseUrl: string) => BedrockRuntimeClient;
}

/**
 * Clients that send each request once, because failover is the retry, and with no clock but its caller's. Functions
 * take region and credentials from their environment; other programs may pass them.
 */
export function createBedrockClients(config: BedrockRuntimeClientConfig = {}): BedrockClients {
  const clients = new Map<string, BedrockRuntimeClient>();
  // One for all, over HTTP/1.1: the client's own handler makes a new HTTP/2 connection for each call.
  const requestHandler = new NodeHttpHandler({
    connectionTimeout: CONNECT_MS,
    httpsAgent: { maxSockets: MAX_SOCKETS },
    httpAgent: { maxSockets: MAX_SOCKETS },
  });
  const client = (baseUrl: string): BedrockRuntimeClient => {
    const known = clients.get(baseUrl);
    if (known !== undefined) return known;
    const made = new BedrockRuntimeClient({
      ...config,
      ...addressOf(baseUrl),
      requestHandler,
      maxAttempts: 1,
    });
    clients.set(baseUrl, made);
    return made;
  };
  return { client };
}

function addressOf(baseUrl: string): BedrockRuntimeClientConfig {
  if (baseUrl === '') return {};
  const region = awsAddressOf(baseUrl)?.region;
  return { endpoint: baseUrl, ...(region === undefined ? {} : { region }) };
}
