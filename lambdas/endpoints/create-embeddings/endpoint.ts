/** `POST /v1/embeddings`. */

import type { ProviderCalls } from '../../core/inference/kinds/call-kind.ts';
import { type EmbeddingAnswer, embeddings } from '../../core/inference/kinds/embeddings/embeddings.ts';
import {
  createKindEndpoint,
  type KindEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createEmbeddings = (
  providers: ProviderCalls<JsonObject, EmbeddingAnswer>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint => createKindEndpoint(embeddings, providers, dependencies);
