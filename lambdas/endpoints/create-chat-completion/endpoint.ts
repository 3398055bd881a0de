/** `POST /v1/chat/completions`: the chat surface. */

import { chatCompletionRequest } from '../../core/inference/chat/schema.ts';
import { chatSurface } from '../../core/inference/chat/surface.ts';
import {
  createSurfaceEndpoint,
  type SurfaceEndpointDependencies,
} from '../../core/inference/surface-endpoint.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createChatCompletion = (dependencies: SurfaceEndpointDependencies): Endpoint =>
  createSurfaceEndpoint(chatSurface, chatCompletionRequest, dependencies);
