/** `POST /v1/audio/speech`. */

import type { Servers } from '../../core/inference/modality.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/modality-endpoint.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import { type SpeechAnswer, speech } from '../../core/inference/speech/modality.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createSpeech = (
  servers: Servers<JsonObject, SpeechAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(speech, servers, dependencies);
