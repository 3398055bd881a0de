/** The OpenAI protocol over HTTP: every server that speaks `POST {base_url}/chat/completions`. */
import type { UpstreamFetch } from '../../../platform/core/ports.ts';
import type { Feature } from '../../core/fields/need.ts';
import type { Provider } from '../../core/upstream/provider.ts';
import { type AuthorizationDependencies, authorizationOf } from '../authorization.ts';
import { callUpstream } from '../http-upstream.ts';
import { addressOf } from '../openai-formats/address.ts';
import { toFailure } from './errors.ts';
import { toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';
import { ChunkStreamReader } from './stream.ts';

/**
 * The features that the OpenAI protocol supports in addition to a conversation (OpenAI API reference, Create chat
 * completion).
 */
export const features: ReadonlySet<Feature> = new Set<Feature>([
  'blank-turns',
  'choices',
  'image-urls',
  'documents',
  'audio',
  'stop-sequences',
]);

export interface OpenAiDependencies extends AuthorizationDependencies {
  readonly fetch: UpstreamFetch;
}

export function createOpenAiProvider(dependencies: OpenAiDependencies): Provider {
  return {
    features,
    async chat(attempt) {
      const { route, payload, signatures, signal, traceparent, maxBytes } = attempt;
      const url = addressOf(route, '/chat/completions');
      const body = JSON.stringify(toRequestBody(payload, route, signatures));
      return callUpstream(dependencies.fetch, {
        url,
        headers: await authorizationOf(dependencies, route, { url, body }),
        body,
        stream: payload.stream,
        signal,
        traceparent,
        maxBytes,
        toFailure,
        toRouteResponse: (responseBody) => toRouteResponse(responseBody, attempt),
        createReader: () => new ChunkStreamReader(attempt),
      });
    },
  };
}
