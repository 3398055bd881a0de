/** Clients of an AWS service by address, created at first use and reused. */
import { type HttpHandler, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import { ConnectionPool } from '../../platform/connections/connection-pool.ts';
import { createExchange, type HttpExchange } from '../../platform/connections/http-exchange.ts';
import { awsAddressOf } from '../core/catalog/aws-address.ts';

/** The settings by which the clients of a service differ from those that the SDK would create. */
export interface ClientSettings {
  readonly endpoint?: string;
  readonly region?: string;
  readonly requestHandler: HttpHandler<object>;
  readonly maxAttempts: number;
}

/**
 * Returns the client for a route's address; an empty one is that of the function's own region. The clients send each
 * request once, because failover is the retry, and with no clock but its caller's.
 */
export function clientsByAddress<Client>(
  create: (settings: ClientSettings) => Client,
  exchange: HttpExchange = createExchange(new ConnectionPool()),
): (baseUrl: string) => Client {
  const clients = new Map<string, Client>();
  // One for all, over HTTP/1.1: a client's own handler may make a new HTTP/2 connection for each call.
  const requestHandler = createSdkHandler(exchange);
  return (baseUrl) => {
    const cachedClient = clients.get(baseUrl);
    if (cachedClient !== undefined) return cachedClient;
    const newClient = create({ ...addressOf(baseUrl), requestHandler, maxAttempts: 1 });
    clients.set(baseUrl, newClient);
    return newClient;
  };
}

function addressOf(baseUrl: string): Pick<ClientSettings, 'endpoint' | 'region'> {
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
