/** `POST /v1/images/generations`. */

import type { ProviderCalls } from '../../core/inference/kinds/call-kind.ts';
import { type ImageAnswer, images } from '../../core/inference/kinds/images/images.ts';
import {
  createKindEndpoint,
  type KindEndpointDependencies,
} from '../../core/inference/kinds/kind-endpoint.ts';
import type { JsonObject } from '../../core/json/lossless-json.ts';
import type { StreamingEndpoint } from '../../core/ports.ts';

export const createImages = (
  providers: ProviderCalls<JsonObject, ImageAnswer>,
  dependencies: KindEndpointDependencies,
): StreamingEndpoint => createKindEndpoint(images, providers, dependencies);
