/** Speech of a server of the OpenAI protocol (OpenAI API reference, Create speech). */

import type { JsonObject } from '../../../../platform/core/json/lossless-json.ts';
import type { ProviderCall } from '../../../core/kinds/call-kind.ts';
import type { SpeechOutput } from '../../../core/kinds/speech/speech.ts';
import { UpstreamFailure } from '../../../core/upstream/provider.ts';
import { type OpenAiHttp, sendRequest } from '../openai-http.ts';
import { startSpeech } from '../start-speech.ts';

/**
 * The content types of audio. Some servers do not report a specific type. Servers that fail with status 200 send none
 * of these types.
 */
const AUDIO = /^(audio\/|application\/octet-stream)/i;

export function speechOfOpenAi(http: OpenAiHttp): ProviderCall<JsonObject, SpeechOutput> {
  return async ({ route, payload, clock: { signal }, traceparent }) => {
    const body = { ...payload, model: route.upstream_model };
    const response = await sendRequest(http, { route, path: '/audio/speech', body, signal, traceparent });
    if (response.body === null || !AUDIO.test(response.headers.get('content-type') ?? ''))
      throw new UpstreamFailure('protocol');
    return startSpeech(response.body, payload, signal);
  };
}
