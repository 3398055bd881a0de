/** Finds the route of a request over several REST APIs that share one local address. */
import { matchPath } from '../../../lambdas/platform/http/router.ts';
import type { ApiRoute, RestApi } from '../assembly/api/rest-apis.ts';

export interface GatewayMatch {
  readonly api: RestApi;
  readonly route: ApiRoute;
  /** Percent-encoded values, as in the path: REST APIs do not decode them for Lambda. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

/** Returns a lookup of method and path (no query); undefined means that no API has such a resource and method. */
export function createRouter(
  apis: readonly RestApi[],
): (method: string, path: string) => GatewayMatch | undefined {
  const resources = apis.flatMap((api) =>
    api.routes.map((route) => ({ api, route, path: route.resourcePath })),
  );
  return (method, path) => {
    const matches = matchPath(resources, path, (value) => value);
    const match = [method, 'ANY'].flatMap(
      (wanted) => matches.find(({ route }) => route.route.method === wanted) ?? [],
    )[0];
    return match && { ...match.route, pathParameters: match.pathParameters };
  };
}
