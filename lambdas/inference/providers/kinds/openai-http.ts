/** One request to a server of the OpenAI protocol, for whatever is not a conversation. */

import type { JsonObject } from '../../../platform/core/json/lossless-json.ts';
import type { UpstreamFetch, UpstreamResponse } from '../../../platform/core/ports.ts';
import type { CatalogRoute } from '../../core/catalog/catalog-document.ts';
import { type KeyDependencies, keyHeadersOf } from '../authorization.ts';
import { parsePlainObject, post, reading } from '../http-upstream.ts';
import { toFailure } from '../openai/errors.ts';
import { addressOf } from '../openai-formats/address.ts';
import { boundedText } from '../response-bytes.ts';
import type { FormBody } from './form-body.ts';

export interface OpenAiHttp extends KeyDependencies {
  readonly fetch: UpstreamFetch;
}

export interface OpenAiRequest {
  readonly route: CatalogRoute;
  /** Below the route's address, such as `/embeddings`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | FormBody;
  readonly signal: AbortSignal;
  readonly traceparent?: string | undefined;
}

/** A request for JSON, whose response has at most that many bytes. */
export interface JsonRequest extends OpenAiRequest {
  readonly maxBytes: number;
}

/** Sends the request and returns its response, whose status is 2xx. Throws `UpstreamFailure`. */
export async function sendRequest(
  http: OpenAiHttp,
  { route, path, body, signal, traceparent }: OpenAiRequest,
): Promise<UpstreamResponse> {
  const { stream, headers } = isForm(body)
    ? body
    : { stream: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return post(http.fetch, {
    url: addressOf(route, path),
    headers: { ...headers, ...(await keyHeadersOf(http, route)) },
    body: stream,
    signal,
    traceparent,
    toFailure,
  });
}

const isForm = (body: OpenAiRequest['body']): body is FormBody => body.stream instanceof ReadableStream;

/**
 * Sends the request and returns the JSON object of its response. Numbers in it, of a vector or a duration, are doubles.
 * Throws `UpstreamFailure`.
 */
export async function requestJson(http: OpenAiHttp, request: JsonRequest): Promise<JsonObject> {
  const response = await sendRequest(http, request);
  return parsePlainObject(await reading(() => boundedText(response, request.maxBytes)));
}
