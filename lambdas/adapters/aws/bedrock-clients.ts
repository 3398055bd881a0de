/** Clients of Amazon Bedrock by address, made at first use and kept warm. */
import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { awsAddressOf } from '../../core/inference/catalog/aws-address.ts';
import { ConnectionPool } from '../connections/connection-pool.ts';
import { createExchange, type Exchange } from '../connections/http-exchange.ts';
import { createSdkHandler } from '../connections/sdk-handler.ts';

export interface BedrockClients {
  /** The client for a route's address; an empty one is that of the function's own region. */
  readonly client: (baseUrl: string) => BedrockRuntimeClient;
}

/**
 * Clients that send each request once, because failover is the retry, and with no clock but its caller's. Functions
 * take region and credentials from their environment; other programs may pass them.
 */
export function createBedrockClients(
  config: BedrockRuntimeClientConfig = {},
  exchange: Exchange = createExchange(new ConnectionPool()),
): BedrockClients {
  const clients = new Map<string, BedrockRuntimeClient>();
  // One for all, over HTTP/1.1: the client's own handler makes a new HTTP/2 connection for each call.
  const requestHandler = createSdkHandler(exchange);
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
