/** `POST /v1/messages`: the Messages surface. */

import { messagesRequest } from '../../core/inference/completions/messages/schema.ts';
import { messagesSurface } from '../../core/inference/completions/messages/surface.ts';
import {
  createSurfaceEndpoint,
  type SurfaceEndpointDependencies,
} from '../../core/inference/completions/surface-endpoint.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createMessage = (dependencies: SurfaceEndpointDependencies): Endpoint =>
  createSurfaceEndpoint(messagesSurface, messagesRequest, dependencies);
