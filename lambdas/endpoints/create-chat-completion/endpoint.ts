/** `POST /v1/chat/completions`: the chat surface. */

import { chatCompletionRequest } from '../../core/inference/completions/chat/schema.ts';
import { chatSurface } from '../../core/inference/completions/chat/surface.ts';
import {
  createSurfaceEndpoint,
  type SurfaceEndpointDependencies,
} from '../../core/inference/completions/surface-endpoint.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createChatCompletion = (dependencies: SurfaceEndpointDependencies): Endpoint =>
  createSurfaceEndpoint(chatSurface, chatCompletionRequest, dependencies);
