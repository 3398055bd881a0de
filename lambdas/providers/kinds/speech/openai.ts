/** Speech of a server of the OpenAI protocol (OpenAI API reference, Create speech). */
import type { ProviderCall } from '../../../core/inference/kinds/call-kind.ts';
import type { SpeechAnswer } from '../../../core/inference/kinds/speech/speech.ts';
import { UpstreamFailure } from '../../../core/inference/upstream/provider.ts';
import { guarded } from '../../../core/inference/upstream/route-clock.ts';
import type { JsonObject } from '../../../core/json/lossless-json.ts';
import { ask, type OpenAiHttp } from '../openai-http.ts';

/** Some servers do not know what they send; none of those that fail with 200 sends this. */
const AUDIO = /^(audio\/|application\/octet-stream)/i;

export function speechOfOpenAi(http: OpenAiHttp): ProviderCall<JsonObject, SpeechAnswer> {
  return async ({ route, payload, clock: { signal } }) => {
    const body = { ...payload, model: route.upstream_model };
    const response = await ask(http, { route, path: '/audio/speech', body, signal });
    if (response.body === null || !AUDIO.test(response.headers.get('content-type') ?? ''))
      throw new UpstreamFailure('protocol');
    const rest = guarded(connected(response.body), signal);
    const opening = await rest.next();
    // Audio without a byte is no audio.
    if (opening.done) throw new UpstreamFailure('protocol');
    return { first: opening.value, rest };
  };
}

/** The chunks that have bytes; a connection that breaks is an upstream failure. */
async function* connected(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void> {
  try {
    for await (const bytes of body) if (bytes.length > 0) yield bytes;
  } catch (cause) {
    throw new UpstreamFailure('interrupted', { cause });
  }
}
