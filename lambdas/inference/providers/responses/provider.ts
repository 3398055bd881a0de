/** The Responses protocol over HTTP: OpenAI, Azure, Bedrock's OpenAI endpoint, xAI, vLLM (`POST {base_url}/responses`). */
import type { Feature } from '../../core/fields/need.ts';
import type { Provider } from '../../core/upstream/provider.ts';
import { authorizationOf } from '../authorization.ts';
import { callUpstream } from '../http-upstream.ts';
import { toFailure } from '../openai/errors.ts';
import type { OpenAiDependencies } from '../openai/provider.ts';
import { addressOf } from '../openai-formats/address.ts';
import { forHost, toRequestBody } from './request.ts';
import { toRouteResponse } from './response.ts';
import { ResponsesStreamReader } from './stream.ts';

/**
 * The features that the protocol supports in addition to a conversation. It has no field for stop sequences (OpenAI API
 * reference, Create a model response).
 */
export const features: ReadonlySet<Feature> = new Set<Feature>([
  'blank-turns',
  'image-urls',
  'documents',
  'document-urls',
  'responses-items',
]);

export function createResponsesProvider(dependencies: OpenAiDependencies): Provider {
  return {
    features,
    async chat(originalAttempt) {
      const attempt = {
        ...originalAttempt,
        payload: forHost(originalAttempt.payload, originalAttempt.route),
      };
      const { route, payload, signatures, signal, traceparent, maxBytes } = attempt;
      const url = addressOf(route, '/responses');
      const body = JSON.stringify(toRequestBody(payload, route, signatures));
      return callUpstream(dependencies.fetch, {
        url,
        headers: await authorizationOf(dependencies, route, { url, body }),
        body,
        stream: payload.stream,
        signal,
        traceparent,
        // Three events of a stream repeat instructions and tools.
        maxBytes: maxBytes + 4 * body.length,
        toFailure,
        toRouteResponse: (responseBody) => toRouteResponse(responseBody, attempt),
        createReader: () => new ResponsesStreamReader(attempt),
      });
    },
  };
}
