/** The Messages protocol over HTTP: every server that speaks `POST {base_url}/messages`. */
import type { UpstreamFetch } from '../../../platform/core/ports.ts';
import type { Feature } from '../../core/fields/need.ts';
import type { Provider, RouteAttempt, RouteResponse } from '../../core/upstream/provider.ts';
import { type AuthorizationDependencies, authorizationOf, type KeyHeader } from '../authorization.ts';
import { callUpstream } from '../http-upstream.ts';
import { toFailure } from './errors.ts';
import { betasOf, toRequest } from './request.ts';
import { toRouteResponse } from './response.ts';
import { MessageStreamReader } from './stream.ts';

/** The version of the protocol that is spoken where a caller names none (Claude API docs, Versions). */
const VERSION = '2023-06-01';

/**
 * The features that the Messages protocol supports in addition to a conversation (Claude API reference, Create a
 * Message).
 */
export const features: ReadonlySet<Feature> = new Set<Feature>([
  'image-urls',
  'documents',
  'document-urls',
  'messages-blocks',
  'stop-sequences',
]);

/** Returns the header that contains the key (Claude API docs, Authentication). */
const keyHeader: KeyHeader = (key) => ({ 'x-api-key': key });

export interface AnthropicDependencies extends AuthorizationDependencies {
  readonly fetch: UpstreamFetch;
}

/**
 * At Anthropic, on Bedrock's Messages endpoints and on Claude Platform on AWS the protocol is the same, the version and
 * the betas by header included (Amazon Bedrock user guide, Inference using Anthropic Messages API; Claude Platform on
 * AWS user guide, Making requests); what differs is who signs, and the workspace.
 */
export function createAnthropicProvider(dependencies: AnthropicDependencies): Provider {
  async function chat({
    route,
    payload,
    identity,
    signatures,
    signal,
    traceparent,
    maxBytes,
  }: RouteAttempt): Promise<RouteResponse> {
    const { body: request, answerTool } = toRequest(payload, route, signatures);
    const betas = betasOf(payload, route);
    const context = { payload, identity, signatures, answerTool };
    const post = {
      url: `${route.base_url}/messages`,
      body: JSON.stringify(request),
      headers: {
        'anthropic-version': payload.headers?.version ?? VERSION,
        ...(betas.length === 0 ? {} : { 'anthropic-beta': betas.join(',') }),
        ...(route.workspace === undefined ? {} : { 'anthropic-workspace-id': route.workspace }),
      },
    };
    return callUpstream(dependencies.fetch, {
      ...post,
      headers: await authorizationOf(dependencies, route, post, keyHeader),
      stream: payload.stream,
      signal,
      traceparent,
      maxBytes,
      toFailure: (response) => toFailure(response, payload.protocol),
      toRouteResponse: (responseBody) => toRouteResponse(responseBody, context),
      createReader: () => new MessageStreamReader(context),
    });
  }

  return { features, chat };
}
