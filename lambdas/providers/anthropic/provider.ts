/** The Messages protocol over HTTP: every server that speaks `POST {base_url}/messages`. */
import type { Attempt, Feature, Provider, Reply } from '../../core/inference/upstream/provider.ts';
import type { SecretReader } from '../../core/ports.ts';
import { callUpstream, readKey } from '../http-upstream.ts';
import { toFailure } from './errors.ts';
import { toRequest } from './request.ts';
import { toReply } from './response.ts';
import { toReplyEvents } from './stream.ts';

/** The version of the protocol that is spoken here (Claude API docs, Versions). */
const VERSION = '2023-06-01';

/** What the Messages protocol expresses beyond a conversation (Claude API reference, Create a Message). */
export const features: ReadonlySet<Feature> = new Set<Feature>([
  'image-urls',
  'messages-blocks',
  'stop-sequences',
]);

export interface AnthropicDependencies {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
}

export function createAnthropicProvider({ fetch, readSecret }: AnthropicDependencies): Provider {
  async function chat({ route, payload, identity, signatures, signal }: Attempt): Promise<Reply> {
    const key = await readKey(readSecret, route.secret);
    const { body, answerTool } = toRequest(payload, route, signatures);
    const context = { payload, identity, signatures, answerTool };
    return callUpstream(fetch, {
      url: `${route.base_url}/messages`,
      headers: { 'anthropic-version': VERSION, ...(key === undefined ? {} : { 'x-api-key': key }) },
      body: JSON.stringify(body),
      stream: payload.stream,
      signal,
      toFailure: (response) => toFailure(response, payload.protocol),
      toReply: (answer) => toReply(answer, context),
      toReplyEvents: (data) => toReplyEvents(data, context),
    });
  }

  return { features, chat };
}
