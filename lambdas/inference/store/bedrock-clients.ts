/** Clients of Amazon Bedrock by address, created at first use and reused. */
import { BedrockRuntimeClient, type BedrockRuntimeClientConfig } from '@aws-sdk/client-bedrock-runtime';
import { type HttpHandler, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { SignatureV4 } from '@smithy/signature-v4';
import { ConnectionPool } from '../../platform/connections/connection-pool.ts';
import { createExchange, type HttpExchange } from '../../platform/connections/http-exchange.ts';
import type { RequestSigner } from '../../platform/core/ports.ts';
import { awsAddressOf } from '../core/catalog/aws-address.ts';

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
  exchange: HttpExchange = createExchange(new ConnectionPool()),
): BedrockClients {
  const clients = new Map<string, BedrockRuntimeClient>();
  // One for all, over HTTP/1.1: the client's own handler makes a new HTTP/2 connection for each call.
  const requestHandler = createSdkHandler(exchange);
  const client = (baseUrl: string): BedrockRuntimeClient => {
    const cachedClient = clients.get(baseUrl);
    if (cachedClient !== undefined) return cachedClient;
    const newClient = new BedrockRuntimeClient({
      ...config,
      ...addressOf(baseUrl),
      requestHandler,
      maxAttempts: 1,
    });
    clients.set(baseUrl, newClient);
    return newClient;
  };
  return { client };
}

function addressOf(baseUrl: string): BedrockRuntimeClientConfig {
  if (baseUrl === '') return {};
  const region = awsAddressOf(baseUrl)?.region;
  return { endpoint: baseUrl, ...(region === undefined ? {} : { region }) };
}

/** Sends each request over the exchange; the caller's abort is the only clock. */
function createSdkHandler(exchange: HttpExchange): HttpHandler<object> {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, { abortSignal } = {}) {
      const upstreamResponse = await exchange({
        url: urlOf(request),
        method: request.method,
        headers: request.headers,
        body: request.body as string | Uint8Array | undefined,
        signal: abortSignal instanceof AbortSignal ? abortSignal : undefined,
      });
      const headers = Object.entries(upstreamResponse.headersDistinct).map(([name, values = []]) => [
        name,
        values.join(', '),
      ]);
      const { statusCode = 0, statusMessage: reason } = upstreamResponse;
      const response = { statusCode, headers: Object.fromEntries(headers), body: upstreamResponse };
      return { response: new HttpResponse(reason === undefined ? response : { ...response, reason }) };
    },
    updateHttpClientConfig: () => {},
    httpHandlerConfigs: () => ({}),
  };
}

function urlOf({ protocol, hostname, port, path, query }: HttpRequest): URL {
  const url = new URL(`${protocol}//${hostname}${port === undefined ? '' : `:${port}`}${path}`);
  for (const [name, value] of Object.entries(query)) {
    for (const one of Array.isArray(value) ? value : [value]) url.searchParams.append(name, one ?? '');
  }
  return url;
}

/**
 * Signs with what the client of the function's own region signs with: its credentials, and its region where the
 * request names none.
 */
export function createRequestSigner({ client }: BedrockClients): RequestSigner {
  return async ({ url, service, region, headers, body }) => {
    const { credentials, region: ownRegion, sha256 } = client('').config;
    const { protocol, host, hostname, port, pathname, searchParams } = new URL(url);
    const signature = new SignatureV4({
      service,
      region: region ?? ownRegion,
      credentials,
      sha256,
    });
    const signed = await signature.sign({
      method: 'POST',
      protocol,
      hostname,
      ...(port === '' ? {} : { port: Number(port) }),
      path: pathname,
      query: Object.fromEntries(searchParams),
      headers: { ...headers, host },
      body,
    });
    const { host: signedHeaders, ...sent } = signed.headers;
    return sent;
  };
}
