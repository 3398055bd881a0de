/** One request to a server of the OpenAI protocol, for whatever is not a conversation. */
import type { Route } from '../../core/inference/catalog/catalog-document.ts';
import { UpstreamFailure } from '../../core/inference/upstream/provider.ts';
import { isJsonObject } from '../../core/json/lossless-json.ts';
import type { SecretReader } from '../../core/ports.ts';
import { post, reading, readKey } from '../http-upstream.ts';
import { toFailure } from '../openai/errors.ts';
import type { FormBody } from './form-body.ts';

export interface OpenAiHttp {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
}

export interface OpenAiRequest {
  readonly route: Route;
  /** Below the route's address, such as `/embeddings`. */
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | FormBody;
  readonly signal: AbortSignal;
}

/** The answer, whose status is 2xx. Throws `UpstreamFailure`. */
export async function ask(
  { fetch, readSecret }: OpenAiHttp,
  { route, path, body, signal }: OpenAiRequest,
): Promise<Response> {
  const key = await readKey(readSecret, route.secret);
  const { stream, headers } = isForm(body)
    ? body
    : { stream: JSON.stringify(body), headers: { 'content-type': 'application/json' } };
  return post(fetch, {
    url: `${route.base_url}${path}`,
    headers: {
      ...headers,
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
    },
    body: stream,
    signal,
    toFailure,
  });
}

const isForm = (body: OpenAiRequest['body']): body is FormBody => body.stream instanceof ReadableStream;

/**
 * The answer's JSON object. Numbers are read as doubles: a vector or a duration is one. Throws `UpstreamFailure` for
 * anything else.
 */
export async function askForJson(
  http: OpenAiHttp,
  request: OpenAiRequest,
): Promise<Readonly<Record<string, unknown>>> {
  const response = await ask(http, request);
  const text = await reading(() => response.text());
  try {
    const value: unknown = JSON.parse(text);
    if (isJsonObject(value)) return value;
  } catch {
    // Not JSON: the same failure as JSON of another kind.
  }
  throw new UpstreamFailure('protocol');
}
