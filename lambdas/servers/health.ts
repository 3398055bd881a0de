/**
 * The health check of a balancer, which decides whether to send calls to the program. It is neither logged nor
 * measured.
 */
import { HOST_HEALTH_PATH } from '../platform/contract/inference-host.ts';
import type { NodeHost, RouteTarget } from '../platform/http/node-host.ts';
import { JSON_BODIES } from './bodies.ts';

/** Adds the health path, which returns the host's state, and passes every other path to `resolve`. */
export const withHealth =
  (host: () => Pick<NodeHost, 'isStopping'>, resolve: (method: string, path: string) => RouteTarget) =>
  (method: string, path: string): RouteTarget =>
    path === HOST_HEALTH_PATH
      ? {
          handler: async () => new Response(null, { status: host().isStopping ? 503 : 200 }),
          pathParameters: {},
          body: JSON_BODIES,
        }
      : resolve(method, path);
