/** Google's Gemini API over HTTP: `POST {base_url}/models/{model}:generateContent` and `:streamGenerateContent`. */
import type { UpstreamFetch } from '../../../platform/core/ports.ts';
import type { Feature } from '../../core/fields/need.ts';
import type { Provider } from '../../core/upstream/provider.ts';
import { type AuthorizationDependencies, authorizationOf, type KeyHeader } from '../authorization.ts';
import { callUpstream } from '../http-upstream.ts';
import { toFailure } from './errors.ts';
import { toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';
import { GeminiStreamReader } from './stream.ts';

/**
 * The features that the protocol supports in addition to a conversation (Gemini API reference, GenerationConfig);
 * images are sent inline.
 */
export const features: ReadonlySet<Feature> = new Set<Feature>([
  'blank-turns',
  'documents',
  'audio',
  'stop-sequences',
]);

/** Returns the header that contains the key (Gemini API docs, Using Gemini API keys). */
const keyHeader: KeyHeader = (key) => ({ 'x-goog-api-key': key });

export interface GeminiDependencies extends AuthorizationDependencies {
  readonly fetch: UpstreamFetch;
}

export function createGeminiProvider(dependencies: GeminiDependencies): Provider {
  return {
    features,
    async chat({ route, payload, identity, signatures, signal, traceparent, maxBytes }) {
      const method = payload.stream ? 'streamGenerateContent?alt=sse' : 'generateContent';
      const url = `${route.base_url}/models/${encodeURIComponent(route.upstream_model)}:${method}`;
      const body = JSON.stringify(toRequestBody(payload.conversation(), route, signatures));
      const context = { identity, signatures };
      return callUpstream(dependencies.fetch, {
        url,
        headers: await authorizationOf(dependencies, route, { url, body }, keyHeader),
        body,
        stream: payload.stream,
        signal,
        traceparent,
        maxBytes,
        toFailure,
        toRouteResponse: (responseBody) => toRouteResponse(responseBody, context),
        createReader: () => new GeminiStreamReader(context),
      });
    },
  };
}
