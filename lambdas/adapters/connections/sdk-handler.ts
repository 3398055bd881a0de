/** The request handler of an AWS client whose requests take the same way as those of every other upstream. */
import { type HttpHandler, type HttpRequest, HttpResponse } from '@smithy/core/protocols';
import type { Exchange } from './http-exchange.ts';

/** Sends each request over the exchange; the caller's abort is the only clock. */
export function createSdkHandler(exchange: Exchange): HttpHandler<object> {
  return {
    metadata: { handlerProtocol: 'http/1.1' },
    async handle(request, { abortSignal } = {}) {
      const answer = await exchange({
        url: urlOf(request),
        method: request.method,
        headers: request.headers,
        body: request.body as string | Uint8Array | undefined,
        signal: abortSignal instanceof AbortSignal ? abortSignal : undefined,
      });
      const headers = Object.entries(answer.headersDistinct).map(([name, values = []]) => [
        name,
        values.join(', '),
      ]);
      const { statusCode = 0, statusMessage: reason } = answer;
      const response = { statusCode, headers: Object.fromEntries(headers), body: answer };
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
