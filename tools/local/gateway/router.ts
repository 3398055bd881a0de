/**
 * Finds the route of a request as API Gateway does, over several REST APIs that share one local address.
 * Source: API Gateway developer guide, proxy resources: the most specific resource wins.
 */
import type { ApiRoute, RestApi } from '../assembly/api/rest-apis.ts';

export interface GatewayMatch {
  readonly api: RestApi;
  readonly route: ApiRoute;
  /** Values as they were in the path, still percent-encoded: REST APIs do not decode them for Lambda. */
  readonly pathParameters: Readonly<Record<string, string>>;
}

interface Resource {
  /** A digit a segment (0 text, 1 `{name}`, 2 `{name+}`), then 3: the first in text order is the most specific. */
  readonly rank: string;
  readonly pattern: RegExp;
  /** The parameters, in the order of the pattern's groups. */
  readonly names: readonly string[];
}

/** Returns a lookup of method and path (no query); undefined means that no API has such a resource and method. */
export function createRouter(
  apis: readonly RestApi[],
): (method: string, path: string) => GatewayMatch | undefined {
  const candidates = apis
    .flatMap((api) => api.routes.map((route) => ({ api, route, ...parseResource(route.resourcePath) })))
    .sort((a, b) => (a.rank < b.rank ? -1 : Number(a.rank > b.rank)));
  return (method, path) => {
    const trimmed = trimSlashes(path);
    const matching = candidates.filter(({ pattern }) => pattern.test(trimmed));
    const best = matching.filter(({ rank }) => rank === matching[0]?.rank);
    const match =
      best.find(({ route }) => route.method === method) ?? best.find(({ route }) => route.method === 'ANY');
    if (match === undefined) return undefined;
    const [, ...values] = match.pattern.exec(trimmed) ?? [];
    const pathParameters = Object.fromEntries(match.names.map((name, index) => [name, values[index] ?? '']));
    return { api: match.api, route: match.route, pathParameters };
  };
}

function parseResource(path: string): Resource {
  const segments = trimSlashes(path).split('/').slice(1).map(parseSegment);
  return {
    rank: `${segments.map(({ rank }) => rank).join('')}3`,
    pattern: new RegExp(`^${segments.map(({ source }) => `/${source}`).join('')}$`, 's'),
    names: segments.flatMap(({ name }) => name ?? []),
  };
}

function parseSegment(text: string): {
  readonly rank: number;
  readonly source: string;
  readonly name?: string;
} {
  const [, name, greedy] = /^\{(.+?)(\+?)\}$/.exec(text) ?? [];
  if (name === undefined) return { rank: 0, source: text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&') };
  return greedy === '+' ? { rank: 2, source: '(.+)', name } : { rank: 1, source: '([^/]*)', name };
}

/** A trailing slash makes no difference to API Gateway; the root is empty. */
function trimSlashes(path: string): string {
  const trimmed = path.replace(/^\/+|\/+$/g, '');
  return trimmed === '' ? '' : `/${trimmed}`;
}
