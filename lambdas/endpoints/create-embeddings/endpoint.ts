/** `POST /v1/embeddings`. */
import { type EmbeddingAnswer, embeddings } from '../../core/inference/embeddings/modality.ts';
import type { Servers } from '../../core/inference/modality.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/modality-endpoint.ts';
import type { JsonObject } from '../../core/inference/provider.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createEmbeddings = (
  servers: Servers<JsonObject, EmbeddingAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(embeddings, servers, dependencies);
