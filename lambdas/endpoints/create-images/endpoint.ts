/** `POST /v1/images/generations`. */

import type { Servers } from '../../core/inference/kinds/call-kind.ts';
import { type ImageAnswer, images } from '../../core/inference/kinds/images/modality.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createImages = (
  servers: Servers<JsonObject, ImageAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(images, servers, dependencies);
