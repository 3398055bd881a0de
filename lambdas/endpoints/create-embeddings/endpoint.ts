/** `POST /v1/embeddings`. */

import type { Servers } from '../../core/inference/kinds/call-kind.ts';
import { type EmbeddingAnswer, embeddings } from '../../core/inference/kinds/embeddings/modality.ts';
import {
  createModalityEndpoint,
  type ModalityEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createEmbeddings = (
  servers: Servers<JsonObject, EmbeddingAnswer>,
  dependencies: ModalityEndpointDependencies,
): Endpoint => createModalityEndpoint(embeddings, servers, dependencies);
