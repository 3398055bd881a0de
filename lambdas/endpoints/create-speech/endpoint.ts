/** `POST /v1/audio/speech`. */

import type { ProviderCalls } from '../../core/inference/kinds/call-kind.ts';
import {
  createKindEndpoint,
  type KindEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import { type SpeechAnswer, speech } from '../../core/inference/kinds/speech/speech.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createSpeech = (
  providers: ProviderCalls<JsonObject, SpeechAnswer>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint => createKindEndpoint(speech, providers, dependencies);
