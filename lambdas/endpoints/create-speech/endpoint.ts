/** `POST /v1/audio/speech`. */

import type { Servers } from '../../core/inference/kinds/call-kind.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import { type SpeechAnswer, speech } from '../../core/inference/kinds/speech/modality.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createSpeech = (
  servers: Servers<JsonObject, SpeechAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(speech, servers, dependencies);
