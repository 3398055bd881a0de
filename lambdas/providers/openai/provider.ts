/** The OpenAI protocol over HTTP: every server that speaks `POST {base_url}/chat/completions`. */
import {
  type Attempt,
  type Feature,
  type Provider,
  UpstreamFailure,
} from '../../core/inference/upstream/provider.ts';
import type { RequestSigner, SecretReader } from '../../core/ports.ts';
import { callUpstream, readKey } from '../http-upstream.ts';
import { toFailure } from './errors.ts';
import { toRequestBody } from './request.ts';
import { toReply } from './response.ts';
import { toReplyEvents } from './stream.ts';

/** What the OpenAI protocol expresses beyond a conversation (OpenAI API reference, Create chat completion). */
export const features: ReadonlySet<Feature> = new Set<Feature>(['choices', 'image-urls']);

export interface OpenAiDependencies {
  readonly fetch: typeof fetch;
  readonly readSecret: SecretReader;
  /** Signs for routes whose `auth` is `sigv4`. */
  readonly sign: RequestSigner;
}

export function createOpenAiProvider({ fetch, readSecret, sign }: OpenAiDependencies): Provider {
  async function authorization({ auth, secret }: Attempt['route'], url: string, body: string) {
    if (auth === 'sigv4') {
      return sign({ url, headers: { 'content-type': 'application/json' }, body }).catch((cause: unknown) => {
        throw new UpstreamFailure('secret', { cause });
      });
    }
    const key = await readKey(readSecret, secret);
    return key === undefined ? {} : { authorization: `Bearer ${key}` };
  }

  return {
    features,
    async chat(attempt) {
      const { route, payload, signal } = attempt;
      const url = `${route.base_url}/chat/completions`;
      const body = JSON.stringify(toRequestBody(payload, route));
      return callUpstream(fetch, {
        url,
        headers: await authorization(route, url, body),
        body,
        stream: payload.stream,
        signal,
        toFailure,
        toReply: (answer) => toReply(answer, attempt),
        toReplyEvents: (data) => toReplyEvents(data, attempt),
      });
    },
  };
}
