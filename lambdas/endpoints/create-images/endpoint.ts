/** `POST /v1/images/generations`. */
import { type ImageAnswer, images } from '../../core/inference/images/modality.ts';
import type { Servers } from '../../core/inference/modality.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/modality-endpoint.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createImages = (
  servers: Servers<JsonObject, ImageAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(images, servers, dependencies);
