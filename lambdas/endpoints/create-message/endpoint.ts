/** `POST /v1/messages`: the Messages surface. */

import { messagesRequest } from '../../core/inference/messages/schema.ts';
import { messagesSurface } from '../../core/inference/messages/surface.ts';
import {
  createSurfaceEndpoint,
  type SurfaceEndpointDependencies,
} from '../../core/inference/surface-endpoint.ts';
import type { Endpoint } from '../../core/ports.ts';

export const createMessage = (dependencies: SurfaceEndpointDependencies): Endpoint =>
  createSurfaceEndpoint(messagesSurface, messagesRequest, dependencies);
